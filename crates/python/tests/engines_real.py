"""The base classes of vLLM and SGLang themselves, from wheels that were fetched and not installed.

TOOLWEIR_ENGINES names a folder with `vllm-*.whl` and `sglang-*.whl` (`cargo xtask python --engines` fetches
them). Their own modules are loaded; what those import that is not installed here (the engine's kernels, torch)
is a stub.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import os
import pathlib
import sys
import types
import zipfile

# Optional packages whose absence the engines handle.
ABSENT = {"xgrammar"}


def wheel(engine):
    """The wheel of an engine, or None."""
    named = os.environ.get("TOOLWEIR_ENGINES")
    found = sorted(pathlib.Path(named).glob(f"{engine}-*.whl")) if named else []
    return found[-1] if found else None


class Anything(type):
    """A class that has every attribute, as another such class."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __or__(cls, other):
        return cls

    __ror__ = __getitem__ = __or__


def anything(name):
    def call(self, *arguments, **_):
        return arguments[0] if arguments and callable(arguments[0]) else self

    return Anything(name, (), {"__init__": lambda self, *_, **__: None, "__call__": call})


class Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what nothing else has found."""

    def __init__(self, engine):
        self.engine = engine

    def find_spec(self, fullname, path, target=None):
        root, parent = fullname.split(".")[0], sys.modules.get(fullname.rpartition(".")[0])
        if isinstance(parent, Stub):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if root in ABSENT or root == self.engine or root == "toolweir" or root in sys.stdlib_module_names:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


# Modules that are loaded without what their packages run at import, and such as only matter to the server.
VLLM = (
    [
        "vllm",
        "vllm.tool_parsers",
        "vllm.reasoning",
        "vllm.entrypoints",
        "vllm.entrypoints.openai",
        "vllm.entrypoints.generate",
        "vllm.entrypoints.generate.base",
        "vllm.entrypoints.serve",
        "vllm.entrypoints.serve.engine",
    ],
    [
        "vllm.config",
        "vllm.envs",
        "vllm.logger",
        "vllm.multimodal",
        "vllm.platforms",
        "vllm.renderers",
        "vllm.sampling_params",
        "vllm.tokenizers",
        "vllm.tool_parsers.utils",
        "vllm.utils.torch_utils",
        "vllm.entrypoints.mcp",
        "vllm.entrypoints.openai.chat_completion",
        "vllm.entrypoints.openai.responses",
    ],
)
SGLANG = (
    [
        "sglang",
        "sglang.srt",
        "sglang.srt.function_call",
        "sglang.srt.entrypoints",
        "sglang.srt.entrypoints.openai",
    ],
    ["sglang.utils"],
)


def version(package):
    """Of what is not installed, one that is new enough."""
    try:
        return INSTALLED(package)
    except importlib.metadata.PackageNotFoundError:
        return "99.0"


INSTALLED = importlib.metadata.version


class Engine:
    """The modules of an engine, without what its packages run when they are imported."""

    def __init__(self, name, folder):
        packages, stubbed = VLLM if name == "vllm" else SGLANG
        importlib.metadata.version = version
        with zipfile.ZipFile(wheel(name)) as archive:
            members = [member for member in archive.namelist() if member.endswith(".py")]
            archive.extractall(folder, members)
        self.before = set(sys.modules)
        self.finder = Stubs(name)
        sys.meta_path.append(self.finder)
        for package in packages:
            module = types.ModuleType(package)
            module.__path__ = [str(folder.joinpath(*package.split(".")))]
            sys.modules[package] = module
        for package in stubbed:
            sys.modules[package] = Stub(package)

    def load(self, module):
        return importlib.import_module(module)

    def close(self):
        importlib.metadata.version = INSTALLED
        sys.meta_path.remove(self.finder)
        for name in set(sys.modules) - self.before:
            if isinstance(sys.modules[name], Stub) or name.split(".")[0] == self.finder.engine:
                del sys.modules[name]
