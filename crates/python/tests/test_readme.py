"""The examples of the README, word for word."""

import pytest

import readme


@pytest.mark.parametrize("title, code", readme.examples(), ids=[title for title, _ in readme.examples()])
def test_an_example_runs_and_prints_what_it_says(title, code):
    skipped = readme.reason_to_skip(code)
    if skipped is not None:
        pytest.skip(skipped)
    readme.check(title, code)


def test_there_are_examples():
    assert len(readme.examples()) >= 5
