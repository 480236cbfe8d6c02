from collections.abc import Container
from typing import Any, Final, Optional

from . import FormatLike, StreamEnd

PREFIX: Final = "toolweir-"

def register(names: Optional[Container[str]] = None) -> None: ...
def detector(format: FormatLike, *, end: StreamEnd = "length", **options: Any) -> type[Any]: ...
