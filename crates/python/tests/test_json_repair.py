"""`toolweir.json_repair` beside `json_repair` itself, on texts of our own."""

import pathlib

import pytest

import vectors
from json_repair_cases import DIFFERENT, OWN, SAME
from toolweir.json_repair import loads, repair_json

theirs = pytest.importorskip("json_repair", reason="json_repair is not installed")
DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"


def alike(left, right):
    return left == right and type(left) is type(right)


@pytest.mark.parametrize("text", SAME)
def test_both_read_the_same(text):
    assert alike(loads(text), theirs.loads(text))


@pytest.mark.parametrize("text, ours, why", DIFFERENT, ids=[text for text, _, _ in DIFFERENT])
def test_a_difference_is_as_it_is_listed(text, ours, why):
    assert alike(loads(text), ours) and why
    assert not alike(theirs.loads(text), ours), "both read it alike: it belongs to SAME"


def test_what_both_read_alike_both_write_alike():
    for text in SAME:
        value = theirs.loads(text)
        if value not in ("", None) and "1." not in text:
            assert repair_json(text) == theirs.repair_json(text), text


def test_the_documentation_lists_the_differences():
    if not DOCS.is_file():
        pytest.skip("the documentation is not at hand")
    shown = DOCS.read_text(encoding="utf-8")
    for text, ours, why in DIFFERENT:
        row = f"| `{text!r}` | `{ours!r}` | {why} |"
        assert row in shown, row


@pytest.mark.skipif(
    vectors.folder() is None,
    reason="no vector files (../shared/vectors, or TOOLWEIR_VECTORS=FOLDER)",
)
def test_its_own_cases():
    from test_vectors import same

    alike, differ = 0, set()
    for path, case in vectors.cases("robust"):
        if "json_repair" in path.name:
            if same(loads(case["input"]), theirs.loads(case["input"])):
                alike += 1
            else:
                differ.add(case["id"].rsplit("/", 1)[-1])
    known = {name for names in OWN.values() for name in names}
    print(f"{alike} of {alike + len(differ)} alike")
    assert differ == known, differ ^ known
    if DOCS.is_file():
        shown = DOCS.read_text(encoding="utf-8")
        assert f"{alike} of {alike + len(differ)}" in shown
        for why, names in OWN.items():
            assert f"| {len(names)} | {why} |" in shown, why
