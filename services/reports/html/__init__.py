"""The report as one HTML file without script, for people who have a browser and nothing else."""
