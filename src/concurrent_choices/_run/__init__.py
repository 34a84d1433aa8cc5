"""`run`, `stream`, `arun`, `astream`: where choosing meets doing."""
