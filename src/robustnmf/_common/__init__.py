"""What all rooms share, and none of them owns."""
