"""The shared vector files, where they are at hand, and the cases that the repository excuses."""

import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]


def folder():
    """The folder named by TOOLWEIR_VECTORS, else `shared/vectors` beside the checkout; or None."""
    named = os.environ.get("TOOLWEIR_VECTORS")
    found = pathlib.Path(named) if named else ROOT.parent / "shared" / "vectors"
    return found if found.is_dir() else None


def excused():
    """The ids of the cases that the repository does not follow, each with a reason there."""
    path = ROOT / "fixtures" / "excuses.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {line.split("|")[0].strip() for line in lines if "|" in line and not line.startswith("#")}


def cases(*below):
    """Every case of the files below these folders, with its file."""
    for name in below:
        for path in sorted((folder() / name).rglob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").split("\n"):
                if line.strip():
                    yield path, json.loads(line)
