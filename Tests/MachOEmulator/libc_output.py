"""<stdio.h>: output, unbuffered."""

import os
import re
import struct
from typing import TYPE_CHECKING

from calls import Address, Int32, Int64, UInt32, UInt64, Variadic, function, signed

if TYPE_CHECKING:
    from process import Process

CONVERSION = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    rb"(?P<size>hh|h|ll|l|q|j|z|t|L)?(?P<kind>[diouxXcspfFeEgG%])"
)
LONG = (b"l", b"ll", b"q", b"j", b"z", b"t")


def formatted(process: "Process", template: bytes, rest: Variadic) -> bytes:
    """What printf makes of TEMPLATE and the arguments."""

    def convert(match: "re.Match[bytes]") -> bytes:
        kind = match["kind"].decode()
        if kind == "%":
            return b"%"
        width = str(rest.next(Int32)) if match["width"] == b"*" else match["width"].decode()
        precision = match["precision"]
        limit = None
        if precision is not None:
            limit = rest.next(Int32) if precision == b"*" else int(precision or b"0")
        layout = "%" + match["flags"].decode() + width
        if limit is not None and kind not in "cp":
            layout += f".{limit}"
        if kind == "s":
            address = rest.next(Address)
            text = process.machine.string(address) if address else b"(null)"
            return (layout + "s").encode() % text
        if kind == "c":
            return (layout + "c").encode() % (rest.next(UInt32) & 0xFF)
        if kind == "p":
            return (layout + "s").encode() % hex(rest.next(Address)).encode()
        if kind in "fFeEgG":
            (number,) = struct.unpack("<d", rest.next(UInt64).to_bytes(8, "little"))
            return (layout + kind).encode() % number
        is_long = match["size"] in LONG
        if kind in "di":
            value = rest.next(Int64) if is_long else rest.next(Int32)
        else:
            value = rest.next(UInt64) if is_long else rest.next(UInt32)
        return (layout + ("d" if kind in "iu" else kind)).encode() % value

    return CONVERSION.sub(convert, template)


@function("_printf")
def printf(process: "Process", template: Address, rest: Variadic) -> int:
    text = formatted(process, process.machine.string(template), rest)
    return os.write(1, text)


@function("_fprintf")
def fprintf(process: "Process", file: UInt64, template: Address, rest: Variadic) -> int:
    text = formatted(process, process.machine.string(template), rest)
    return os.write(_descriptor(file), text)


@function("_snprintf", "___snprintf_chk")
def snprintf(process: "Process", buffer: Address, size: UInt64, template: Address, rest: Variadic) -> int:
    text = formatted(process, process.machine.string(template), rest)
    if size:
        process.machine.write(buffer, text[: size - 1] + b"\0")
    return len(text)


def _descriptor(file: int) -> int:
    """FILE * is 1, 2, 3 for the standard streams; no others are simulated."""
    return max(signed(file, 64) - 1, 0)


@function("_puts")
def puts(process: "Process", text: Address) -> int:
    return os.write(1, process.machine.string(text) + b"\n")


@function("_putchar")
def putchar(process: "Process", character: Int32) -> int:
    os.write(1, bytes([character & 0xFF]))
    return character


@function("_fputs")
def fputs(process: "Process", text: Address, file: UInt64) -> int:
    return os.write(_descriptor(file), process.machine.string(text))


@function("_fwrite")
def fwrite(process: "Process", data: Address, size: UInt64, count: UInt64, file: UInt64) -> int:
    os.write(_descriptor(file), process.machine.read(data, size * count))
    return count


@function("_fflush")
def fflush(process: "Process") -> int:
    return 0
