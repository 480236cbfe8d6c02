"""The stubs say what the package has."""

import ast
import importlib
import inspect
import pathlib

import pytest

import toolweir

PACKAGE = pathlib.Path(toolweir.__file__).parent


def test_every_public_name_has_a_stub_and_the_marker_is_there():
    assert (PACKAGE / "py.typed").is_file()
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    stubbed = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    stubbed |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    stubbed |= {t.id for node in tree.body if isinstance(node, ast.Assign) for t in node.targets}
    assert set(toolweir.__all__) <= stubbed
    assert all(hasattr(toolweir, name) for name in toolweir.__all__)


@pytest.mark.parametrize("name", ["batch", "json_repair", "sglang", "vllm"])
def test_a_module_has_a_stub_with_its_signatures(name):
    module = importlib.import_module("toolweir." + name)
    tree = ast.parse((PACKAGE / f"{name}.pyi").read_text(encoding="utf-8"))
    stubs = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert stubs
    for stub in stubs:
        parameters = inspect.signature(getattr(module, stub.name)).parameters
        given = [a.arg for a in stub.args.args + stub.args.kwonlyargs]
        kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
        assert given == [key for key, p in parameters.items() if p.kind not in kinds], stub.name


def test_every_member_of_a_class_has_a_stub():
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or not hasattr(toolweir, node.name):
            continue
        kind = getattr(toolweir, node.name)
        if issubclass(kind, BaseException):
            continue
        stubbed = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        stubbed |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        members = {name for name in vars(kind) if not name.startswith("_")} - {"native"}
        assert members == {name for name in stubbed if not name.startswith("_")}, node.name
