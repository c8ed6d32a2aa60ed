"""Your own CSV or Parquet file as a Dataset."""
