"""A Mach-O image: what its file says, and its mapping at a slide.

lief reads the file: load commands, symbols, and the fix-ups of LC_DYLD_CHAINED_FIXUPS as well as of
LC_DYLD_INFO (<mach-o/loader.h>, <mach-o/fixup-chains.h>).
"""

import bisect
import os
from collections.abc import Iterator

import lief
from unicorn import UC_PROT_EXEC, UC_PROT_READ, UC_PROT_WRITE

from machine import Machine, page_end

S_MOD_INIT_FUNC_POINTERS = 0x9  # <mach-o/loader.h>
S_MOD_TERM_FUNC_POINTERS = 0xA
S_INIT_FUNC_OFFSETS = 0x16
N_STAB, N_TYPE, N_SECT = 0xE0, 0x0E, 0x0E  # <mach-o/nlist.h>
S_ATTR_CODE = 0x8000_0000 | 0x400  # S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS

lief.logging.disable()  # it would write to standard error, which is the program's


class ImageError(Exception):
    """A file that can't be loaded, and why."""


class Image:
    """One loaded image. Stated addresses are the file's; loaded ones are stated + slide."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        if not os.path.isfile(self.path):
            raise ImageError(f"{path}: no such file")
        fat = lief.MachO.parse(self.path)
        if fat is None:
            raise ImageError(f"{path}: not a Mach-O file")
        self.file = self._slice(fat)
        self._fat = fat  # owns the slice
        kind = self.file.header.file_type
        kinds = lief.MachO.Header.FILE_TYPE
        if kind not in (kinds.EXECUTE, kinds.DYLIB, kinds.BUNDLE):
            raise ImageError(f"{path}: a file of type {kind.name} can't be run")
        self.is_executable = kind == kinds.EXECUTE
        self.uuid = bytes(self.file.uuid.uuid).hex() if self.file.uuid else ""
        self.segments = [each for each in self.file.segments if each.name != "__PAGEZERO"]
        self.base = min(each.virtual_address for each in self.segments)
        self.size = page_end(max(each.virtual_address + each.virtual_size for each in self.segments) - self.base)
        self.slide = 0
        self.libraries: list[Image | None] = []  # by ordinal - 1; None for a simulated one
        self.exports = self._read_exports()
        self.functions = self._read_functions()
        self._symbols = self._read_symbols()

    def _slice(self, fat: "lief.MachO.FatBinary") -> "lief.MachO.Binary":
        for each in fat:
            if each.header.cpu_type == lief.MachO.Header.CPU_TYPE.ARM64:
                return each
        raise ImageError(f"{self.path}: has no arm64 slice")

    # What the file says

    def _defined_symbols(self) -> Iterator[tuple[int, str, int]]:
        """Address, name and section number of each symbol that is not a debugging entry."""
        for symbol in self.file.symbols:
            kind = symbol.raw_type
            if not kind & N_STAB and kind & N_TYPE == N_SECT:
                yield symbol.value, str(symbol.name), symbol.numberof_sections

    def _read_exports(self) -> dict[str, int]:
        return {str(each.name): each.value for each in self.file.exported_symbols}

    def _read_symbols(self) -> list[tuple[int, str]]:
        return sorted((address, name) for address, name, _ in self._defined_symbols())

    def _read_functions(self) -> dict[int, list[str]]:
        """The names of each function by its address: symbols in code, and LC_FUNCTION_STARTS."""
        code = {number for number, section in enumerate(self.file.sections, 1) if int(section.flags) & S_ATTR_CODE}
        functions: dict[int, list[str]] = {}
        if self.file.function_starts:
            for offset in self.file.function_starts.functions:
                functions[self.base + offset] = []
        for address, name, section in self._defined_symbols():
            if section in code:
                functions.setdefault(address, []).append(name)
        return functions

    def library_names(self) -> list[str]:
        """The install names of its libraries; the first has ordinal 1."""
        return [str(each.name) for each in self.file.libraries if not self._is_own_name(each)]

    def _is_own_name(self, library: "lief.MachO.DylibCommand") -> bool:
        return library.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB

    def install_name(self) -> str:
        for library in self.file.libraries:
            if self._is_own_name(library):
                return str(library.name)
        return self.path

    def entry_point(self) -> int:
        """LC_MAIN's, loaded."""
        if not self.file.main_command:
            raise ImageError(f"{self.path}: has no LC_MAIN")
        return self.base + self.file.main_command.entrypoint + self.slide

    def section(self, name: str, segment: str | None = None) -> tuple[int, int] | None:
        """Loaded address and size of the section NAME, in any segment unless one is given."""
        for section in self.file.sections:
            if section.name == name and segment in (None, section.segment_name):
                return section.virtual_address + self.slide, section.size
        return None

    def sections_of_type(self, kind: int) -> Iterator[tuple[int, int]]:
        """Loaded address and size of each section whose flags say KIND."""
        for section in self.file.sections:
            if section.type.value == kind:
                yield section.virtual_address + self.slide, section.size

    # In memory

    @property
    def header(self) -> int:
        """The loaded address of its mach_header."""
        return self.base + self.slide

    def contains(self, address: int) -> bool:
        return self.header <= address < self.header + self.size

    def text_ranges(self) -> Iterator[tuple[int, int]]:
        """The loaded ranges of its executable segments."""
        for segment in self.segments:
            if segment.init_protection & 4:
                start = segment.virtual_address + self.slide
                yield start, start + segment.virtual_size

    def map(self, machine: Machine, slide: int) -> None:
        """Maps the segments, all writable until the fix-ups are done."""
        self.slide = slide
        for segment in self.segments:
            address = segment.virtual_address + slide
            if segment.virtual_size == 0:
                continue
            machine.uc.mem_map(address, page_end(segment.virtual_size))
            machine.write(address, bytes(segment.content)[: segment.virtual_size])

    def rebase(self, machine: Machine) -> None:
        """Adds the slide to the pointers into the image itself."""
        for each in self.file.relocations:
            if isinstance(each, lief.MachO.RelocationFixup):
                target = each.target
            elif isinstance(each, lief.MachO.RelocationDyld):
                target = machine.peek_word(each.address + self.slide)
            else:
                continue
            machine.write_word(each.address + self.slide, target + self.slide)

    def protect(self, machine: Machine) -> None:
        """Gives the segments the protection that the file asks for (`initprot`)."""
        for segment in self.segments:
            wanted = segment.init_protection
            is_constant = segment.flags & 0x10  # SG_READ_ONLY, after fix-ups
            protection = UC_PROT_READ if wanted & 1 else 0
            if wanted & 2 and not is_constant:
                protection |= UC_PROT_WRITE
            if wanted & 4:
                protection |= UC_PROT_EXEC
            if segment.virtual_size:
                machine.uc.mem_protect(
                    segment.virtual_address + self.slide,
                    page_end(segment.virtual_size),
                    protection,
                )

    def unmap(self, machine: Machine) -> None:
        for segment in self.segments:
            if segment.virtual_size:
                machine.uc.mem_unmap(segment.virtual_address + self.slide, page_end(segment.virtual_size))

    def nearest_symbol(self, address: int) -> tuple[str, int] | None:
        """Name and loaded address of the last symbol at or before the loaded ADDRESS."""
        index = bisect.bisect_right(self._symbols, (address - self.slide, "\U0010ffff")) - 1
        if index < 0:
            return None
        start, name = self._symbols[index]
        return name, start + self.slide
