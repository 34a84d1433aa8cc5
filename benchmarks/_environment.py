"""What the numbers were measured on; nothing that tells one machine of a kind from another."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["describe", "listed", "sentence", "without_paths", "write_environment"]

PACKAGES = (
    "aiometer",
    "anyio",
    "attrs",
    "cloudpickle",
    "concurrent_choices",
    "joblib",
    "loky",
    "mpire",
    "numpy",
    "trio",
    "uvloop",
)
ROOT = Path(__file__).parents[1]


def describe(packages: Iterable[str] = PACKAGES) -> dict[str, Any]:
    """Tell the interpreter, the machine, its load, the versions of everybody and the commit."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "gil": not sysconfig.get_config_var("Py_GIL_DISABLED"),
        "platform": platform.platform(),
        "cpu": _field("/proc/cpuinfo", "model name"),
        "cpus": os.cpu_count(),
        "usable_cpus": len(os.sched_getaffinity(0)),
        "memory": _field("/proc/meminfo", "MemTotal"),
        "load_before": os.getloadavg(),
        "packages": {name: _version(name) for name in packages},
        "commit": _commit(),
    }


def write_environment(folder: Path, environment: dict[str, Any], began: float) -> None:
    """Write environment.json at the end of a run that began at that reading of the monotonic clock."""
    ended = {"took_seconds": round(time.monotonic() - began), "load_after": os.getloadavg()}
    text = json.dumps(environment | ended, indent=2) + "\n"
    (folder / "environment.json").write_text(text, encoding="utf-8")


def sentence(environment: dict[str, Any]) -> str:
    """What was measured on, when, and how busy it was, from an environment.json."""
    return (
        f"{environment['python']}, {environment['platform']}, {environment['cpu']}, "
        f"{environment['usable_cpus']} usable CPUs; commit {environment['commit']}, {environment['date']}; "
        f"load {environment['load_before'][0]:.1f} before and {environment['load_after'][0]:.1f} after; "
        f"{environment['took_seconds']} s."
    )


def listed(environment: dict[str, Any]) -> Iterator[str]:
    """The same, all of it, a line each, as a section of a report."""
    yield from ("## Measured on", "")
    for name, value in environment.items():
        if name not in {"packages", "failures"}:
            yield f"- {name.replace('_', ' ')}: {value}"
    versions = environment["packages"].items()
    yield "- packages: " + ", ".join(f"{name} {number}" for name, number in versions)


def _field(file: str, name: str) -> str:
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        if line.startswith(name):
            return line.partition(":")[2].strip()
    return "unknown"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout.strip() or "unknown"


def without_paths(text: str) -> str:
    """Take the folders of this machine out of a message."""
    for folder, name in ((str(ROOT), "."), (sys.prefix, "<prefix>"), (str(Path.home()), "~")):
        text = text.replace(folder, name)
    return text
