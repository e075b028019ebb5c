"""Stores over native client objects, which are handed in and never imported here."""
