"""Tools in every form."""

import types

import pytest

import toolweir

SCHEMA = {"type": "object", "properties": {"sides": {"type": "integer"}}}
CALL = '<tool_call>{"name": "dice", "arguments": {"sides": "6"}}</tool_call>'


def forms():
    openai = {"type": "function", "function": {"name": "dice", "parameters": SCHEMA}}
    return {
        "plain": [{"name": "dice", "parameters": SCHEMA}],
        "openai": [openai],
        "responses": [{"type": "function", "name": "dice", "parameters": SCHEMA}],
        "anthropic": [{"name": "dice", "input_schema": SCHEMA}],
        "mcp": [types.SimpleNamespace(name="dice", description=None, inputSchema=SCHEMA)],
        "dump": [types.SimpleNamespace(model_dump=lambda: openai)],
        "schema": [{"title": "dice", **SCHEMA}],
        "mapping": {"dice": SCHEMA},
        "text": {"dice": '{"type": "object", "properties": {"sides": {"type": "integer"}}}'},
        "tool": [toolweir.Tool("dice", None, SCHEMA)],
        "tools": toolweir.Tools([openai]),
        "file": {"tools": [openai]},
    }


@pytest.mark.parametrize("form", forms())
def test_every_form_types_the_arguments(form):
    [call] = toolweir.parse(CALL, "hermes", forms()[form]).calls
    assert call.arguments == {"sides": 6} and call.coerced


def test_pydantic_models_are_tools_and_read_arguments():
    pydantic = pytest.importorskip("pydantic")

    class Dice(pydantic.BaseModel):
        """Rolls a die."""

        sides: int = pydantic.Field(gt=1)

    text = CALL.replace('"dice"', '"Dice"')
    [call] = toolweir.parse(text, "hermes", [Dice]).calls
    assert call.arguments_as(Dice) == Dice(sides=6)
    assert "Rolls a die." in toolweir.format_tools("hermes", [Dice])
    [call] = toolweir.parse(CALL, "hermes", {"dice": Dice}).calls
    assert call.arguments == {"sides": 6}
    one = toolweir.parse(text.replace('"6"', "1"), "hermes", [Dice]).calls[0]
    with pytest.raises(pydantic.ValidationError):
        one.arguments_as(Dice)
    assert toolweir.coerce({"sides": "6"}, Dice) == {"sides": 6}


def test_tools_are_compiled_once():
    tools = toolweir.Tools([{"name": "dice", "parameters": SCHEMA}, {"name": "coin"}])
    assert tools.names == ["dice", "coin"] and len(tools) == 2 and "coin" in tools
    assert [tool.name for tool in tools] == ["dice", "coin"]
    for _ in range(3):
        assert toolweir.Decoder("hermes", tools).push(CALL)[-1].arguments == {"sides": 6}


def test_a_schema_that_cannot_be_used_is_an_error_or_costs_its_own_tool_its_types():
    bad = {"name": "coin", "parameters": {"properties": {"a": {"$ref": "#/$defs/gone"}}}}
    with pytest.raises(toolweir.ToolError) as found:
        toolweir.Tools([bad])
    assert found.value.tool == "coin" and found.value.schema_path == "/properties/a/$ref"
    tools = toolweir.Tools([bad, {"name": "dice", "parameters": SCHEMA}], lenient=True)
    assert len(tools.errors) == 1 and "coin" in tools.errors[0]
    assert toolweir.parse(CALL, "hermes", tools).calls[0].arguments == {"sides": 6}


def test_what_is_no_tool_is_left_out_where_that_is_asked_for():
    search = {"type": "web_search"}
    broken = {"name": "coin", "parameters": {"a": object()}}
    tools = toolweir.Tools([search, broken, {"name": "dice", "parameters": SCHEMA}], lenient=True)
    assert tools.names == ["coin", "dice"] and len(tools.errors) == 2
    assert toolweir.parse(CALL, "hermes", tools).calls[0].arguments == {"sides": 6}


@pytest.mark.parametrize(
    "tools",
    [
        "dice",
        {"name": "dice"},
        [{"description": "no name"}],
        [7],
        [{"name": "dice", "parameters": {"a": object()}}],
        [{"name": "dice", "parameters": "{"}],
    ],
)
def test_what_is_no_tool_is_an_error(tools):
    with pytest.raises(toolweir.ToolError):
        toolweir.Tools(tools)
