"""How simulated functions are declared: a name of libSystem or libobjc, and arguments by type.

Arguments are taken as the AAPCS64 passes them, in X0 to X7, the result goes to X0. Apple's variant
of it passes the unnamed arguments of a variadic function on the stack, 8 bytes each ("Writing ARM64
code for Apple platforms", section "Update code that passes arguments to variadic functions").
"""

import errno
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NewType
from collections.abc import Callable

if TYPE_CHECKING:
    from process import Process

Int32 = NewType("Int32", int)
UInt32 = NewType("UInt32", int)
Int64 = NewType("Int64", int)
UInt64 = NewType("UInt64", int)
Address = NewType("Address", int)


def signed(value: int, bits: int) -> int:
    """The low BITS of VALUE as a number in two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


CONVERT: dict[Any, Callable[[int], int]] = {
    Int32: lambda value: signed(value, 32),
    UInt32: lambda value: value & 0xFFFFFFFF,
    Int64: lambda value: signed(value, 64),
    UInt64: lambda value: value,
    Address: lambda value: value,
}


@dataclass
class TailCall:
    """A simulated function goes on in emulated code, all argument registers as they are."""

    address: int


class Variadic:
    """The unnamed arguments of a variadic function, one after the other."""

    def __init__(self, process: "Process", address: int) -> None:
        self._process = process
        self._address = address

    def next(self, kind: Any = UInt64) -> int:
        value = self._process.machine.read_word(self._address)
        self._address += 8
        return CONVERT[kind](value)


@dataclass
class Function:
    """One simulated function."""

    name: str
    body: Callable[..., Any]
    kinds: list[Any]

    def call(self, process: "Process") -> TailCall | None:
        """Takes the arguments out of the registers, runs the body, stores the result."""
        machine = process.machine
        arguments: list[Any] = []
        for index, kind in enumerate(self.kinds):
            if kind is Variadic:
                arguments.append(Variadic(process, machine.stack_pointer))
            else:
                arguments.append(CONVERT[kind](machine.argument(index)))
        try:
            result = self.body(process, *arguments)
        except OSError as error:
            process.set_errno(error.errno or errno.EIO)
            result = -1
        if isinstance(result, TailCall):
            return result
        if result is not None:
            machine.set_result(int(result))
        return None


FUNCTIONS: dict[str, Function] = {}


def function(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares what NAMES, symbols as Mach-O spells them, do.

    The first parameter is the process; the others are annotated with one of the types above. An
    OSError becomes -1 and errno.
    """

    def declare(body: Callable[..., Any]) -> Callable[..., Any]:
        kinds = [each.annotation for each in list(inspect.signature(body).parameters.values())[1:]]
        for name in names:
            FUNCTIONS[name] = Function(name, body, kinds)
        return body

    return declare
