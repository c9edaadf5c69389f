"""Tables in files, read: logs of one's own, and data whose form is known."""
