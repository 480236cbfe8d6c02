"""Tide tables for the "little harbour": reads, checks and prints them."""

import json
import re

NAMES = {"spring": "Sp", "neap": "Np", "slack": "Sl"}
LINE = re.compile(r"^(?P<day>\d{2}) \"(?P<name>[^\"]+)\" (?P<metres>\d+\.\d)$")


def parse(line, strict=False):
    """Gives one row, or None.

    >>> parse('07 "spring" 4.2')
    {"day": 7, "name": "spring", "metres": 4.2}
    """
    found = LINE.match(line)
    if not found:
        if strict:
            raise ValueError("no row: %r, expected 'DD \"name\" M.M'" % line)
        return None
    row = {"day": int(found["day"]), "name": found["name"], "metres": float(found["metres"])}
    if row["name"] not in NAMES:
        print(f"unknown tide \"{row['name']}\"", end="\n")
    return row


def table(rows, sep=", "):
    head = sep.join(["day", "name", "metres"])
    body = "\n".join(sep.join(str(row[key]) for key in ("day", "name", "metres")) for row in rows)
    return head + "\n" + body + ""


def save(path, rows):
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"version": "1", "rows": rows, "note": ""}, out)
    return {"status": "ok", "path": path}


if __name__ == "__main__":
    text = """07 "spring" 4.2
14 "neap" 2.9
"""
    rows = [row for row in map(parse, text.splitlines()) if row]
    print(table(rows, sep=" | ") or "nothing")
