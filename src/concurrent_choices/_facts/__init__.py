"""Nouns: frozen values that every other part speaks in. They do nothing."""
