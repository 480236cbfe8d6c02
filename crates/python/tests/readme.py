"""The examples of the README, word for word; as a program, those that need no other package."""

import contextlib
import importlib.util
import io
import pathlib
import re
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def examples():
    """Title and code of each."""
    text = README.read_text(encoding="utf-8")
    return re.findall(r"## ([^\n]*)\n(?:(?!\n## ).)*?```python\n(.*?)```", text, re.S)


def reason_to_skip(code):
    """What an example needs that is not here, or None."""
    if "match " in code and sys.version_info < (3, 10):
        return "this Python has no `match`"
    if "pydantic" in code and importlib.util.find_spec("pydantic") is None:
        return "pydantic is not installed"
    return None


def check(title, code):
    """Runs an example; what it prints has to be what its comments say."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, f"README: {title}", "exec"), {"__name__": "readme"})
    expected = [line.split("  # ", 1)[1] for line in code.splitlines() if "  # " in line]
    assert out.getvalue().splitlines() == expected, (title, out.getvalue())


if __name__ == "__main__":
    for title, code in examples():
        skipped = reason_to_skip(code)
        if skipped is None:
            check(title, code)
        print(f"README, {title}: {skipped or 'as it says'}")
