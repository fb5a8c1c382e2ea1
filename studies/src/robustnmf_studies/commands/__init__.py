"""What the studies add to the command line."""
