"""mmap: memory of the process, and files.

A file mapped shared is mapped into this process, too, and its memory lent to the emulator: each
store of the program is in the file at once, also if the run is killed.
"""

import ctypes
import errno
import mmap
import os
from dataclasses import dataclass

from unicorn import UC_PROT_ALL, UC_PROT_EXEC, UC_PROT_READ, UC_PROT_WRITE

from machine import MAPPINGS, Machine, page_end

MAP_SHARED, MAP_PRIVATE, MAP_FIXED, MAP_ANON = 0x1, 0x2, 0x10, 0x1000  # <sys/mman.h>
TRACE_MAGIC = b"\x89OFTRACE"  # of orderfile_trace_format.h, as the two that follow
TRACE_FLAGS_OFFSET = 24
TRACE_EMULATED = 4

_host = ctypes.CDLL(None, use_errno=True)
_host.mmap.restype = ctypes.c_void_p
_host.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_host.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FAILED = ctypes.c_void_p(-1).value


@dataclass
class Mapping:
    """One region; HOST is where a shared file lies in this process, else 0."""

    address: int
    size: int
    host: int = 0
    path: str = ""
    offset: int = 0
    inode: int = 0
    device: int = 0


class Mappings:
    """All regions that the program asked for."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._next = MAPPINGS
        self._mapped: dict[int, Mapping] = {}

    def map(self, hint: int, size: int, protection: int, flags: int, descriptor: int, offset: int) -> int:
        """mmap; an OSError says why not."""
        size = page_end(size)
        if size == 0 or offset % 0x4000:
            raise OSError(errno.EINVAL, "invalid argument")
        if flags & MAP_FIXED:
            self._clear(hint, size)
            address = hint
        else:
            address = self._next
            self._next += size + 0x4000  # a page between: overruns crash
        if flags & MAP_ANON:
            mapping = Mapping(address, size)
            self._machine.uc.mem_map(address, size, self._protection(protection))
        elif flags & MAP_SHARED:
            mapping = self._map_shared(address, size, protection, descriptor, offset)
        else:
            mapping = Mapping(address, size)
            self._machine.uc.mem_map(address, size, UC_PROT_ALL)
            self._machine.write(address, os.pread(descriptor, size, offset))
            self._machine.uc.mem_protect(address, size, self._protection(protection))
        self._mapped[address] = mapping
        return address

    def _map_shared(self, address: int, size: int, protection: int, descriptor: int, offset: int) -> Mapping:
        host_protection = mmap.PROT_READ | (mmap.PROT_WRITE if protection & 2 else 0)
        host = _host.mmap(None, size, host_protection, mmap.MAP_SHARED, descriptor, offset)
        if host == _FAILED:
            raise OSError(ctypes.get_errno(), "mmap")
        self._machine.uc.mem_map_ptr(address, size, self._protection(protection), host)
        status = os.fstat(descriptor)
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        return Mapping(address, size, host, path, offset, status.st_ino, status.st_dev)

    def _clear(self, address: int, size: int) -> None:
        for mapping in list(self._mapped.values()):
            if address < mapping.address + mapping.size and mapping.address < address + size:
                self.unmap(mapping.address, mapping.size)

    def unmap(self, address: int, size: int) -> None:
        """munmap of a whole region."""
        mapping = self._mapped.get(address)
        if mapping is None or mapping.size != page_end(size):
            raise OSError(errno.EINVAL, "only whole regions can be unmapped")
        self._mark(mapping)
        self._machine.uc.mem_unmap(address, mapping.size)
        if mapping.host:
            _host.munmap(mapping.host, mapping.size)
        del self._mapped[address]

    def protect(self, address: int, size: int, protection: int) -> None:
        self._machine.uc.mem_protect(address, page_end(size), self._protection(protection))

    def shared_files(self) -> list[Mapping]:
        """Regions that show a file, by address."""
        return [each for _, each in sorted(self._mapped.items()) if each.host]

    def regions(self) -> list[Mapping]:
        return [each for _, each in sorted(self._mapped.items())]

    def renamed(self, path: str, new_path: str) -> None:
        """A file has another name now; a region of it goes on under that one."""
        for mapping in self._mapped.values():
            if mapping.path == path:
                mapping.path = new_path

    def mark_traces(self) -> None:
        """Says in the header of each trace that is being written that an emulator ran the program.

        Times in it mean nothing, and a recorder can't know; so the emulator says it.
        """
        for mapping in self._mapped.values():
            self._mark(mapping)

    def _mark(self, mapping: Mapping) -> None:
        if not mapping.host or mapping.offset:
            return
        try:
            if os.stat(mapping.path).st_size < 4096:
                return
        except OSError:
            return  # renamed or removed; its mapping may have no page behind it
        if ctypes.string_at(mapping.host, 8) != TRACE_MAGIC:
            return
        flags = ctypes.c_uint32.from_address(mapping.host + TRACE_FLAGS_OFFSET)
        flags.value |= TRACE_EMULATED

    @staticmethod
    def _protection(wanted: int) -> int:
        protection = UC_PROT_READ if wanted & 1 else 0
        protection |= UC_PROT_WRITE if wanted & 2 else 0
        return protection | (UC_PROT_EXEC if wanted & 4 else 0)
