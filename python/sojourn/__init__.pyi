from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from typing import Iterable, Iterator, NoReturn

import numpy
import numpy.typing

_Path = str | bytes | PathLike[str] | PathLike[bytes]

__version__: str
KINDS: tuple[str, ...]
LEGS: tuple[str, ...]
METHODS: tuple[str, ...]

# Errors: TypeError and ValueError if an argument makes no sense or the input gives no result;
# OSError, such as FileNotFoundError, if the system refuses a file or an interface.

class Distribution:
    # Made by the library only; so are RoundTrips and OneWay.
    def __init__(self, not_by_callers: NoReturn) -> None: ...
    def __len__(self) -> int: ...
    @property
    def samples(self) -> int: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def effective_samples(self) -> float: ...
    @property
    def min(self) -> int | None: ...
    @property
    def max(self) -> int | None: ...
    @property
    def mean(self) -> float | None: ...
    def quantile(self, q: float) -> int | None: ...
    def interval(self, q: float, confidence: float = ...) -> tuple[int | None, int | None] | None: ...
    def cdf(self) -> numpy.typing.NDArray[numpy.float64]: ...

class RoundTrips:
    def __init__(self, not_by_callers: NoReturn) -> None: ...
    def distribution(self, kind: str = ..., leg: str = ...) -> Distribution: ...
    def __getitem__(self, kind: str = ..., leg: str = ...) -> Distribution: ...
    def quantile(self, q: float, kind: str = ..., leg: str = ...) -> int | None: ...
    def interval(
        self, q: float, kind: str = ..., leg: str = ..., confidence: float = ...
    ) -> tuple[int | None, int | None] | None: ...
    def groups(self, most: int = ...) -> list[tuple[str, str, str, Distribution]]: ...
    def requests(self, kind: str = ...) -> dict[str, int]: ...
    @property
    def samples(self) -> numpy.typing.NDArray[numpy.void]: ...
    @property
    def packets(self) -> int: ...
    @property
    def skipped(self) -> dict[str, int]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def memory_bytes(self) -> int: ...
    @property
    def is_full(self) -> bool: ...

def rtt(
    captures: _Path | Iterable[_Path],
    *,
    samples: bool = ...,
    kinds: str | Iterable[str] | None = ...,
    memory: str | int | None = ...,
    table: str | None = ...,
    expire: str | float | None = ...,
    inside: str | Iterable[str] = ...,
    by: str | None = ...,
    filter: str | None = ...,
    keep_ambiguous: bool = ...,
    anonymize: bool = ...,
    threads: int = ...,
    seed: int = ...,
) -> RoundTrips: ...
def live(
    interface: str,
    *,
    every: str | float = ...,
    duration: str | float | None = ...,
    samples: bool = ...,
    kinds: str | Iterable[str] | None = ...,
    memory: str | int | None = ...,
    table: str | None = ...,
    expire: str | float | None = ...,
    inside: str | Iterable[str] = ...,
    by: str | None = ...,
    filter: str | None = ...,
    keep_ambiguous: bool = ...,
    anonymize: bool = ...,
    threads: int = ...,
    seed: int = ...,
) -> Iterator[RoundTrips]: ...

class OneWay:
    def __init__(self, not_by_callers: NoReturn) -> None: ...
    flows: numpy.typing.NDArray[numpy.void]
    delays: Distribution
    def quantile(self, q: float) -> int | None: ...
    def interval(self, q: float, confidence: float = ...) -> tuple[int | None, int | None] | None: ...
    @property
    def sent(self) -> int | None: ...
    @property
    def lost(self) -> int | None: ...
    @property
    def counters(self) -> dict[str, int]: ...
    @property
    def warnings(self) -> list[str]: ...

def oneway(
    first: _Path,
    last: _Path,
    *,
    method: str = ...,
    sampling: float = ...,
    window: str | float | None = ...,
    clock_offset: str | float = ...,
    filter: str | None = ...,
    seed: int = ...,
) -> OneWay: ...
def address(value: numpy.void) -> IPv4Address | IPv6Address: ...
