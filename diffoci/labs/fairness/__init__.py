"""The fairness tables of the paper: networks, columns and dropped features, with the engine of the audit."""
