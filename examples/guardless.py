"""A script without a main guard, whose worker processes never run it again, so it needs none."""

from dataclasses import dataclass

from concurrent_choices import run

print("this line is printed once")


@dataclass
class Point:
    """A class of the main script: its instances travel to the workers and back."""

    x: int
    y: int


def mirror(point):
    """A function of the main script."""
    return Point(point.y, point.x)


offset = 10
mirrored = run(mirror, [Point(1, 2), Point(3, 4)], strategy="process")
shifted = run(lambda point: point.x + offset, mirrored, strategy="process")

assert all(type(point) is Point for point in mirrored)
print(mirrored, shifted)
