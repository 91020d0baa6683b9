"""The position database."""
