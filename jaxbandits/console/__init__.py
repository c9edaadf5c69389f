"""What a person at a console sees: progress, tables, texts made safe, errors."""
