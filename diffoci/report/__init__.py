"""Reports: results in, documents out (one HTML file, model cards, tables), and the check of a report's numbers."""
