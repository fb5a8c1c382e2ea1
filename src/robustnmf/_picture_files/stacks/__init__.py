"""Files of many pictures of one scene, read and written some pictures at a time."""
