from collections.abc import Iterable
from typing import Any, Final, Optional

from . import FormatLike, StreamEnd, ToolsLike

FIELDS: Final[dict[str, tuple[str, ...]]]

def parse_columns(
    texts: Iterable[Any],
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    end: StreamEnd = "stop",
    workers: int = 1,
    **options: Any,
) -> dict[str, Any]: ...

# Tables of pyarrow and frames of polars, which need not be installed.
def parse_arrow(
    column: Any,
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    end: StreamEnd = "stop",
    workers: int = 1,
    **options: Any,
) -> Any: ...
def parse_polars(
    series: Any,
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    end: StreamEnd = "stop",
    workers: int = 1,
    **options: Any,
) -> Any: ...
def map_batches(
    name: str,
    format: FormatLike = "auto",
    tools: Optional[ToolsLike] = None,
    *,
    end: StreamEnd = "stop",
    workers: int = 1,
    **options: Any,
) -> Any: ...
