"""<stdlib.h>, <string.h>, <sys/mman.h> and C++'s operator new."""

from typing import TYPE_CHECKING

from calls import Address, Int32, Int64, UInt32, UInt64, function
from machine import PAGE

if TYPE_CHECKING:
    from process import Process


@function("_malloc", "__Znwm", "__Znam")
def malloc(process: "Process", size: UInt64) -> int:
    return process.heap.allocate(size)


@function("_calloc")
def calloc(process: "Process", count: UInt64, size: UInt64) -> int:
    return process.heap.zeroed(count * size)


@function("_realloc")
def realloc(process: "Process", address: Address, size: UInt64) -> int:
    return process.heap.resize(address, size)


@function("_free", "__ZdlPv", "__ZdaPv", "__ZdlPvm", "__ZdaPvm")
def free(process: "Process", address: Address) -> None:
    process.heap.free(address)


@function("_malloc_size")
def malloc_size(process: "Process", address: Address) -> int:
    return process.heap.size(address)


@function("_posix_memalign")
def posix_memalign(process: "Process", place: Address, alignment: UInt64, size: UInt64) -> int:
    process.machine.write_word(place, process.heap.allocate(size, alignment))
    return 0


@function("_aligned_alloc", "_memalign")
def aligned_alloc(process: "Process", alignment: UInt64, size: UInt64) -> int:
    return process.heap.allocate(size, alignment)


@function("_memcpy", "_memmove", "___memcpy_chk", "___memmove_chk")
def memcpy(process: "Process", to: Address, source: Address, size: UInt64) -> int:
    process.machine.write(to, process.machine.read(source, size))
    return to


@function("_memset", "___memset_chk")
def memset(process: "Process", to: Address, value: Int32, size: UInt64) -> int:
    process.machine.write(to, bytes([value & 0xFF]) * size)
    return to


@function("_bzero", "___bzero")
def bzero(process: "Process", to: Address, size: UInt64) -> None:
    process.machine.write(to, bytes(size))


@function("_memcmp", "_bcmp")
def memcmp(process: "Process", left: Address, right: Address, size: UInt64) -> int:
    return _compare(process.machine.read(left, size), process.machine.read(right, size))


def _compare(left: bytes, right: bytes) -> int:
    return (left > right) - (left < right)


@function("_strlen")
def strlen(process: "Process", text: Address) -> int:
    return len(process.machine.string(text))


@function("_strnlen")
def strnlen(process: "Process", text: Address, limit: UInt64) -> int:
    return min(len(process.machine.string(text)), limit)


@function("_strcmp")
def strcmp(process: "Process", left: Address, right: Address) -> int:
    return _compare(process.machine.string(left), process.machine.string(right))


@function("_strncmp")
def strncmp(process: "Process", left: Address, right: Address, size: UInt64) -> int:
    machine = process.machine
    return _compare(machine.string(left)[:size], machine.string(right)[:size])


@function("_strcpy", "___strcpy_chk")
def strcpy(process: "Process", to: Address, source: Address) -> int:
    process.machine.write(to, process.machine.string(source) + b"\0")
    return to


@function("_strlcpy")
def strlcpy(process: "Process", to: Address, source: Address, size: UInt64) -> int:
    text = process.machine.string(source)
    if size:
        process.machine.write(to, text[: size - 1] + b"\0")
    return len(text)


@function("_strchr")
def strchr(process: "Process", text: Address, wanted: Int32) -> int:
    at = (process.machine.string(text) + b"\0").find(wanted & 0xFF)
    return 0 if at < 0 else text + at


@function("_strrchr")
def strrchr(process: "Process", text: Address, wanted: Int32) -> int:
    at = (process.machine.string(text) + b"\0").rfind(wanted & 0xFF)
    return 0 if at < 0 else text + at


@function("_strstr")
def strstr(process: "Process", text: Address, wanted: Address) -> int:
    at = process.machine.string(text).find(process.machine.string(wanted))
    return 0 if at < 0 else text + at


@function("_strdup")
def strdup(process: "Process", source: Address) -> int:
    text = process.machine.string(source) + b"\0"
    copy = process.heap.allocate(len(text))
    process.machine.write(copy, text)
    return copy


@function("_atoi")
def atoi(process: "Process", text: Address) -> int:
    digits = process.machine.string(text).split()
    try:
        return int(digits[0]) if digits else 0
    except ValueError:
        return 0


# <sys/mman.h>, <unistd.h>, <mach/vm_map.h>


@function("_mmap")
def mmap(
    process: "Process",
    hint: Address,
    size: UInt64,
    protection: Int32,
    flags: Int32,
    descriptor: Int32,
    offset: Int64,
) -> int:
    return process.mappings.map(hint, size, protection, flags, descriptor, offset)


@function("_munmap")
def munmap(process: "Process", address: Address, size: UInt64) -> int:
    process.mappings.unmap(address, size)
    return 0


@function("_mprotect")
def mprotect(process: "Process", address: Address, size: UInt64, protection: Int32) -> int:
    process.mappings.protect(address, size, protection)
    return 0


@function("_madvise", "_posix_madvise", "_msync", "_minherit", "_mlock", "_munlock")
def advice(process: "Process") -> int:
    return 0


@function("_getpagesize")
def getpagesize(process: "Process") -> int:
    return PAGE


@function("_vm_allocate", "_mach_vm_allocate")
def vm_allocate(process: "Process", task: UInt32, place: Address, size: UInt64) -> int:
    process.machine.write_word(place, process.mappings.map(0, size, 3, 0x1002, -1, 0))
    return 0


@function("_vm_deallocate", "_mach_vm_deallocate")
def vm_deallocate(process: "Process", task: UInt32, address: Address, size: UInt64) -> int:
    process.mappings.unmap(address, size)
    return 0
