"""The main job on real work: every strategy raced over hashing, HTTP, SQLite, files and sleep."""
