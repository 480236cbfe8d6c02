"""Half-broken JSON, partial values, coercion."""

import decimal
import io
import json
import random

import pytest

import toolweir
from toolweir import json_repair


@pytest.mark.parametrize(
    "text, value",
    [
        ("{a: 1, 'b': [1, 2,], c: True}", {"a": 1, "b": [1, 2], "c": True}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": "cut', {"a": "cut"}),
        ('{"a": 1} {"b": 2}', [{"a": 1}, {"b": 2}]),
        (b'{"\xc3\xa4": null}', {"ä": None}),
    ],
)
def test_damaged_text_is_read(text, value):
    assert toolweir.loads(text) == value
    assert json.loads(toolweir.repair_json(text)) == value


def test_bytes_that_are_no_utf8_are_damage():
    assert toolweir.loads(b'{"a": "\xff"}') == {"a": "\N{REPLACEMENT CHARACTER}"}
    for mode in ("strict", "relaxed"):
        with pytest.raises(UnicodeDecodeError):
            toolweir.loads(b'{"a": "\xff"}', mode=mode)


def test_what_valid_json_says_is_what_json_loads_says():
    for value in [None, True, 0, -1, 1.5, "ä\n\"", [], {}, [[1, {"a": [None]}]], {"": 0}]:
        text = json.dumps(value)
        for mode in ("strict", "relaxed", "repair"):
            found = toolweir.loads(text, mode=mode)
            assert found == json.loads(text) and type(found) is type(value)


def test_a_decimal_is_a_float_exactly_where_a_float_holds_it():
    dice = random.Random(5)
    doubles = [dice.uniform(-1, 1) * 10 ** dice.randint(-300, 300) for _ in range(2000)]
    doubles += [0.1, 1e22, 1e23, 5e-324, 1.7976931348623157e308, -0.0, 123456789.125]
    for double in doubles:
        found = toolweir.loads(repr(double))
        assert type(found) is float and found == double
    for text in ["1.10", "1E5", "1e+5", "100000.0", "0.10000000000000000", "-0.0"]:
        assert toolweir.loads(text) == float(text) and type(toolweir.loads(text)) is float
    for text in ["0.1000000000000000055511151231257827", "1e309", "1e-400", "2.00000000000000001"]:
        assert toolweir.loads(text) == decimal.Decimal(text)
        assert type(toolweir.loads(text)) is decimal.Decimal


def test_an_error_has_its_place():
    text = '{\n  "ä": 01}'
    with pytest.raises(toolweir.JsonError) as found:
        toolweir.loads(text, mode="strict")
    error = found.value
    assert isinstance(error, json.JSONDecodeError)
    assert (error.lineno, error.colno, error.doc[error.pos]) == (2, 9, "1")
    assert error.offset == len(text[: error.pos].encode()) and error.kind == "syntax"
    with pytest.raises(toolweir.JsonError) as deep:
        toolweir.loads("[" * 200, max_depth=100)
    assert deep.value.kind == "too-deep"
    with pytest.raises(toolweir.JsonError, match="no value"):
        toolweir.loads("nothing here")


def test_depth_is_bounded_by_the_option_alone():
    deep = 100_000
    value = toolweir.loads("[" * deep + "]" * deep, max_depth=deep)
    for _ in range(deep - 1):
        [value] = value
    assert value == []


def test_options():
    assert toolweir.loads("[NaN]", non_finite="string") == ["NaN"]
    assert toolweir.loads('{"a": 1, "a": 2}', duplicates="first") == {"a": 1}
    assert toolweir.loads(r'["\d"]') == ["\\d"] and toolweir.loads(r'["\d"]', invalid_escape="drop") == ["d"]
    with pytest.raises(ValueError, match="mode does not take"):
        toolweir.loads("1", mode="loose")
    value, diagnostics = toolweir.loads_with_diagnostics("{a: 1}")
    assert value == {"a": 1} and [found.code for found in diagnostics] == ["rjson::unquoted-key"] or diagnostics == []


def test_text_styles():
    text = '{b: [1, 2.50], a: "ä🌊"}'
    assert toolweir.repair_json(text) == '{"b": [1, 2.50], "a": "ä🌊"}'
    assert toolweir.repair_json(text, compact=True, sort_keys=True) == '{"a":"ä🌊","b":[1,2.50]}'
    assert toolweir.repair_json(text, ensure_ascii=True).endswith('"\\u00e4\\ud83c\\udf0a"}')
    assert toolweir.repair_json(text, indent=2) == '{\n  "b": [\n    1,\n    2.50\n  ],\n  "a": "ä🌊"\n}'


def test_a_schema_decides_which_quote_ends_a_string():
    schema = {"type": "object", "properties": {"say": {"type": "string"}, "to": {"type": "string"}}}
    text = '{"say": "he said "hi" to her", "to": "you"}'
    assert toolweir.loads(text, schema=schema) == {"say": 'he said "hi" to her', "to": "you"}


def test_a_partial_value_only_grows():
    text = '{"path": "src/lib.rs", "lines": [1, 22], "note": "ä"}'
    partial = toolweir.PartialJson()
    assert partial.value is None and not partial.done
    shown = []
    for character in text:
        partial.push(character)
        shown.append(partial.value)
    assert partial.finish() == json.loads(text) and partial.done
    assert {"path": "src/l"} in shown and {"path": "src/lib.rs", "lines": [1]} in shown
    lengths = [len(json.dumps(value)) for value in shown if value is not None]
    assert lengths == sorted(lengths)


def test_a_partial_value_keeps_what_it_has_shown():
    partial = toolweir.PartialJson(mode="strict")
    partial.push('{"a": [1, 2, ')
    with pytest.raises(toolweir.JsonError) as found:
        partial.push("x")
    assert found.value.pos == 13 and partial.value == {"a": [1, 2]}


def test_coercion():
    schema = {
        "type": "object",
        "properties": {
            "days": {"type": "integer"},
            "big": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    }
    value = {"days": "8", "big": "123456789012345678901", "tags": {"item": ["a", "b"]}}
    assert toolweir.coerce(value, schema) == {"days": 8, "big": 123456789012345678901, "tags": ["a", "b"]}
    compiled = toolweir.Schema(schema)
    coerced, changes = compiled.coerce_with_changes({"days": "8"})
    assert coerced == {"days": 8}
    assert [(change.path, change.rule, change.loss) for change in changes] == [
        ("/days", "number-from-text", "none")
    ] or changes[0].path == "/days"
    with pytest.raises(toolweir.CoerceError) as found:
        compiled.coerce({"days": "soon"})
    error = found.value
    assert error.instance_path == "/days" and error.schema_path.startswith("/properties/days")
    assert error.code.startswith("coerce::")
    compiled.validate({"days": 8})
    with pytest.raises(toolweir.CoerceError):
        compiled.validate({"days": "8"})
    with pytest.raises(toolweir.SchemaError) as schema_error:
        toolweir.Schema({"$ref": "#/gone"})
    assert schema_error.value.schema_path == "/$ref"
    with pytest.raises(ValueError, match="it takes allow=none"):
        toolweir.coerce(1, {}, allow="all")


def test_values_of_python_go_both_ways():
    value = {"d": decimal.Decimal("1.10"), "t": (1, 2), "b": True, "f": 0.5, "n": None, "i": -(10**30)}
    assert toolweir.coerce(value, {}) == {"d": 1.1, "t": [1, 2], "b": True, "f": 0.5, "n": None, "i": -(10**30)}
    for bad, error in [
        (float("nan"), ValueError),
        ({1: 2}, TypeError),
        (object(), TypeError),
        ({"s": {1, 2}}, TypeError),
    ]:
        with pytest.raises(error):
            toolweir.coerce(bad, {})
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="holds itself"):
        toolweir.coerce(loop, {})


def test_the_module_with_the_names_of_json_repair(tmp_path):
    assert json_repair.loads("{a: 1}") == {"a": 1}
    assert json_repair.repair_json("{a: 'ä'}") == '{"a": "\\u00e4"}'
    assert json_repair.repair_json("{a: 'ä'}", ensure_ascii=False, indent=0) == '{\n"a": "ä"\n}'
    assert json_repair.repair_json("{a: 1}", return_objects=True) == {"a": 1}
    assert json_repair.loads("") == "" and json_repair.repair_json("no value") == ""
    value, log = json_repair.loads("[1, 2", logging=True)
    assert value == [1, 2] and log and set(log[0]) == {"text", "log"}
    assert json_repair.load(io.StringIO("[1,")) == [1]
    path = tmp_path / "a.json"
    path.write_text("{'ä': 1", encoding="utf-8")
    assert json_repair.from_file(path) == {"ä": 1}
    with pytest.raises(ValueError):
        json_repair.loads("{a: 1}", strict=True)
    assert json_repair.loads('{"a": "1"}', schema={"properties": {"a": {"type": "integer"}}}) == {"a": 1}
