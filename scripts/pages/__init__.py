"""The site: what MkDocs builds it from, and a browser that reads it."""
