"""The commands of the command line, one module a concern; each registers its own parsers."""
