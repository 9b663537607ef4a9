"""Forms of the report beside `report.document`: an HTML page, a line for each job, the recorder's tables."""
