"""Playing policies against environments: arguments, checks, one function."""
