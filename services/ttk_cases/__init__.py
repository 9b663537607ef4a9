"""Case files and result files of the operator test kit: CSV and XLSX read without trust, rows made into cases."""
