"""One emulated process: its machine, images, files, heap and clock, from launch to exit."""

import errno
import os
from dataclasses import dataclass
from typing import Any

import libc  # noqa: F401  declares functions of libSystem
from calls import FUNCTIONS, Function
from clock import Clock
from dyld import Dyld
from files import Files
from heap import Heap
from machine import PAGE, TRAPS, Crash, Machine
from mappings import Mappings
from objc import ObjectiveC
from pages import PageCounter

DARWIN_ERRNO = {  # <sys/errno.h>, where it differs from Linux
    "EDEADLK": 11,
    "EAGAIN": 35,
    "ENOTSUP": 45,
    "EOPNOTSUPP": 45,
    "ELOOP": 62,
    "ENAMETOOLONG": 63,
    "ENOTEMPTY": 66,
    "EDQUOT": 69,
    "ENOSYS": 78,
    "EOVERFLOW": 84,
}


class Exit(Exception):
    """The process ended by itself."""

    def __init__(self, status: int) -> None:
        super().__init__(f"exit({status})")
        self.status = status & 0xFF


class MissingFunction(Exception):
    """The program called what is not simulated."""


@dataclass
class Settings:
    """What a run is given."""

    image: str
    arguments: list[str]
    environment: dict[str, str]
    folder: str  # the only part of the file system that the program may use
    slide: int | None  # of the executable; None takes one from the seed
    seed: int
    pid: int


class Process:
    """Ties the parts together; simulated functions get it as their first argument."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.machine = Machine(lambda: self.clock.ticks())
        self.pages = PageCounter(self.machine.uc)
        self.clock = Clock(self.pages)
        self.heap = Heap(self.machine)
        self.files = Files(settings.folder)
        self.mappings = Mappings(self.machine)
        self.objc = ObjectiveC(self)
        self.dyld = Dyld(self)
        self.exit_handlers: list[tuple[int, int, int]] = []  # function, argument, header of image
        self.stages: list[dict[str, Any]] = []
        self.called: dict[str, None] = {}
        self._traps: dict[int, Function] = {}
        self._trap_of: dict[str, int] = {}
        self._data: dict[str, int] = {}
        self.machine.on_trap = self._on_trap
        self.machine.on_read = self.pages.note_read
        self.machine.describe = self.dyld.describe
        self._errno = self.machine.new_data(bytes(8))
        self._make_variables()

    def _make_variables(self) -> None:
        """Variables that libSystem exports, and the main thread's pthread_t."""
        machine = self.machine
        strings = [text.encode() for text in (self.settings.image, *self.settings.arguments)]
        self.argc = len(strings)
        self.argv = self._string_vector(strings)
        self.envp = self._string_vector(
            [f"{name}={value}".encode() for name, value in self.settings.environment.items()]
        )
        # xnu and dyld hand over more; the path of the executable comes first
        # (exec_add_apple_strings in bsd/kern/kern_exec.c).
        apple = [b"executable_path=" + strings[0], b"th_port=", b"stack_guard=", b"ptr_munge="]
        self.apple = self._string_vector(apple)
        self.progname = machine.new_string(os.path.basename(strings[0]))
        word = int.to_bytes
        self._data = {
            "_environ": machine.new_data(word(self.envp, 8, "little")),
            "___progname": machine.new_data(word(self.progname, 8, "little")),
            "_NXArgc": machine.new_data(word(self.argc, 8, "little")),
            "_NXArgv": machine.new_data(word(self.argv, 8, "little")),
            "___stack_chk_guard": machine.new_data(bytes.fromhex("00d1e2c3b4a59687")),
            "_vm_page_size": machine.new_data(word(PAGE, 8, "little")),
            "_vm_kernel_page_size": machine.new_data(word(PAGE, 8, "little")),
            "_vm_page_mask": machine.new_data(word(PAGE - 1, 8, "little")),
            "_mach_task_self_": machine.new_data(word(0x203, 8, "little")),
            "___stdinp": machine.new_data(word(1, 8, "little")),
            "___stdoutp": machine.new_data(word(2, 8, "little")),
            "___stderrp": machine.new_data(word(3, 8, "little")),
        }
        # TPIDRRO_EL0 points at the thread-specific data; slot 0 holds pthread_self(), slot 1
        # errno's address, slot 3 the thread's port (libpthread: private/pthread/tsd_private.h).
        self.thread = machine.new_data(bytes(0x1000))
        specific = self.thread + 0xE0
        machine.write_word(specific, self.thread)
        machine.write_word(specific + 8, self._errno)
        machine.write_word(specific + 24, 0x103)
        machine.set_thread_pointer(specific)

    def _string_vector(self, strings: list[bytes]) -> int:
        words = [self.machine.new_string(text) for text in strings] + [0]
        return self.machine.new_data(b"".join(each.to_bytes(8, "little") for each in words))

    def variable(self, name: str) -> int:
        """The address of the libSystem variable NAME."""
        return self._data[name]

    # errno

    @property
    def errno_address(self) -> int:
        return self._errno

    def set_errno(self, number: int) -> None:
        """NUMBER is the host's; Darwin's differ from 35 on (<sys/errno.h>)."""
        name = errno.errorcode.get(number, "")
        self.machine.write_int(self._errno, DARWIN_ERRNO.get(name, number))

    # Imports

    def import_address(self, name: str) -> int | None:
        """The address of what simulated libraries export as NAME: a function or variable."""
        if name in self._data:
            return self._data[name]
        known = self.objc.exported(name)
        if known is not None:
            return known
        return self.trap(name) if name in FUNCTIONS else None

    def trap(self, name: str) -> int:
        """The address of the function NAME; calling one that is not simulated is the error."""
        if name not in self._trap_of:
            address = TRAPS + 16 * len(self._trap_of)
            self._trap_of[name] = address
            if name in FUNCTIONS:
                self._traps[address] = FUNCTIONS[name]
        return self._trap_of[name]

    def _on_trap(self, address: int) -> int | None:
        called = self._traps.get(address)
        if called is None:
            name = next((each for each, at in self._trap_of.items() if at == address), hex(address))
            caller = self.machine.describe_caller()
            raise MissingFunction(f"'{name}' is not simulated; called from {caller}")
        self.called.setdefault(called.name)
        self.clock.step()
        tail = called.call(self)
        return tail.address if tail else None

    # Life

    def stage(self, name: str, image: str, address: int) -> None:
        """Keeps for the report that dyld or libobjc call into IMAGE at the stated ADDRESS."""
        self.stages.append({"stage": name, "image": image, "address": address})

    def run(self) -> int:
        """Launches the program and returns its exit status.

        dyld calls main with argc, argv, envp and apple, and exit with its result (`start` in
        dyldMain.cpp).
        """
        try:
            self.dyld.launch()
            entry = self.dyld.main.entry_point()
            self.stage("main", self.dyld.main.path, entry - self.dyld.main.slide)
            status = self.machine.call(entry, self.argc, self.argv, self.envp, self.apple)
            self.exit(status)
        except Exit as end:
            return end.status
        finally:
            self.mappings.mark_traces()
        raise Crash("SIGILL", "exit returned")

    def finalize(self, header: int | None = None) -> None:
        """Calls exit handlers, the last registered first; those of one image if HEADER is given."""
        index = len(self.exit_handlers) - 1
        while index >= 0:
            if index < len(self.exit_handlers) and header in (None, self.exit_handlers[index][2]):
                function, argument, _ = self.exit_handlers.pop(index)
                self.machine.call(function, argument)
                index = max(index, len(self.exit_handlers))  # a handler may register another
            index -= 1

    def exit(self, status: int) -> None:
        self.finalize()
        raise Exit(status)

    def exit_at_once(self, status: int) -> None:
        raise Exit(status)
