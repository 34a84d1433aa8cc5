"""Lanes: what calls the callable. Threads, tasks on a loop, and what they share."""
