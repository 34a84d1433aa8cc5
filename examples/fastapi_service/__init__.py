"""A service with good and bad endpoints, and advice on them: `python -m examples.fastapi_service`."""
