"""The callables and their items. Kept apart from the labels: a worker process imports only what it calls."""
