"""The console: progress, tables, safe display of texts, and kinds of errors."""
