"""The processor and its memory: unicorn, seen as a machine that calls functions.

Imported functions lie at addresses where nothing is mapped. A jump there ends the emulation with a
fetch error; the function is then simulated in Python, and the emulation goes on at the link
register. So a simulated function may itself call emulated code (an initialiser in dlopen,
`+initialize`).
"""

import ctypes
from collections.abc import Callable

from unicorn import (
    UC_ARCH_ARM64,
    UC_ERR_EXCEPTION,
    UC_ERR_FETCH_UNMAPPED,
    UC_HOOK_INSN,
    UC_HOOK_MEM_FETCH_PROT,
    UC_HOOK_MEM_READ_PROT,
    UC_HOOK_MEM_READ_UNMAPPED,
    UC_HOOK_MEM_WRITE_PROT,
    UC_HOOK_MEM_WRITE_UNMAPPED,
    UC_MODE_ARM,
    UC_PROT_READ,
    UC_PROT_WRITE,
    Uc,
    UcError,
)
from unicorn.arm64_const import (
    UC_ARM64_INS_MRS,
    UC_ARM64_REG_LR,
    UC_ARM64_REG_PC,
    UC_ARM64_REG_SP,
    UC_ARM64_REG_TPIDRRO_EL0,
    UC_ARM64_REG_X0,
    UC_CPU_ARM64_MAX,
)

PAGE = 0x4000  # bytes: vm_page_size of arm64 Darwin

STACK_END = 0x1_7000_0000
STACK_SIZE = 0x80_0000  # 8 MiB, the main thread's on macOS (Apple: Threading Programming Guide)
LIBRARIES = 0x1_8000_0000  # where dylibs are loaded
SYSTEM_DATA = 0x1_F000_0000  # variables of the simulated libraries
SYSTEM_DATA_SIZE = 0x40_0000
TRAPS = 0x1_FF00_0000  # addresses of the simulated functions; nothing is mapped here
RETURN = TRAPS - 16  # where calls made by the harness return to
TRAPS_END = TRAPS + 0x100_0000
HEAP = 0x6_0000_0000
MAPPINGS = 0x7_0000_0000

BREAKPOINT, BREAKPOINT_MASK = 0xD420_0000, 0xFFE0_001F  # brk #n (Arm ARM, C6.2.41)


class Crash(Exception):
    """The emulated program did what no program may; SIGNAL is what Darwin would have sent it."""

    def __init__(self, signal: str, reason: str) -> None:
        super().__init__(f"{signal}: {reason}")
        self.signal = signal


def page_end(value: int) -> int:
    """VALUE rounded up to a page boundary."""
    return (value + PAGE - 1) & ~(PAGE - 1)


class Machine:
    """One arm64 processor with its memory."""

    def __init__(self, ticks: Callable[[], int]) -> None:
        """TICKS answers for CNTVCT_EL0."""
        # All features: what clang compiles for macOS has those of the M1, such as `cas`.
        self.uc = Uc(UC_ARCH_ARM64, UC_MODE_ARM, UC_CPU_ARM64_MAX)
        self._ticks = ticks
        self._fault: tuple[int, int] | None = None
        self._next_data = SYSTEM_DATA
        self.on_trap: Callable[[int], int | None] = lambda address: None
        self.on_read: Callable[[int, int], None] = lambda address, size: None
        self.describe: Callable[[int], str] = hex
        self.uc.mem_map(STACK_END - STACK_SIZE, STACK_SIZE, UC_PROT_READ | UC_PROT_WRITE)
        self.uc.mem_map(SYSTEM_DATA, SYSTEM_DATA_SIZE, UC_PROT_READ | UC_PROT_WRITE)
        self.stack_pointer = STACK_END - 0x1000
        self.uc.hook_add(
            UC_HOOK_MEM_READ_UNMAPPED
            | UC_HOOK_MEM_WRITE_UNMAPPED
            | UC_HOOK_MEM_READ_PROT
            | UC_HOOK_MEM_WRITE_PROT
            | UC_HOOK_MEM_FETCH_PROT,
            self._on_fault,
        )
        # What `mrs` reads: op0 3, op1 3, CRn 14, CRm 0 is the timer; op2 2 its count, 0 its
        # frequency (Arm ARM, D19.12).
        self.uc.hook_add(UC_HOOK_INSN, self._on_mrs, None, 1, 0, UC_ARM64_INS_MRS)

    # Registers

    @property
    def stack_pointer(self) -> int:
        return self.uc.reg_read(UC_ARM64_REG_SP)

    @stack_pointer.setter
    def stack_pointer(self, value: int) -> None:
        self.uc.reg_write(UC_ARM64_REG_SP, value)

    @property
    def link_register(self) -> int:
        return self.uc.reg_read(UC_ARM64_REG_LR)

    def set_thread_pointer(self, value: int) -> None:
        """TPIDRRO_EL0, which Darwin's user code reads its thread-specific data from."""
        self.uc.reg_write(UC_ARM64_REG_TPIDRRO_EL0, value)

    def argument(self, index: int) -> int:
        """X0 to X7; further arguments lie on the stack."""
        if index < 8:
            return self.uc.reg_read(UC_ARM64_REG_X0 + index)
        return self.read_word(self.stack_pointer + 8 * (index - 8))

    def set_result(self, value: int) -> None:
        self.uc.reg_write(UC_ARM64_REG_X0, value & 0xFFFF_FFFF_FFFF_FFFF)

    # Memory, on behalf of the program

    def read(self, address: int, size: int) -> bytes:
        if size == 0:
            return b""
        self.on_read(address, size)
        return self.peek(address, size)

    def peek(self, address: int, size: int) -> bytes:
        """Reads without being seen: what a loader or a runtime reads for itself."""
        try:
            return bytes(self.uc.mem_read(address, size))
        except UcError:
            raise Crash("SIGSEGV", f"no {size} bytes to read at {address:#x}") from None

    def write(self, address: int, data: bytes) -> None:
        try:
            self.uc.mem_write(address, data)
        except UcError:
            raise Crash("SIGSEGV", f"no {len(data)} bytes to write at {address:#x}") from None

    def read_word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 8), "little")

    def peek_word(self, address: int) -> int:
        return int.from_bytes(self.peek(address, 8), "little")

    def peek_int(self, address: int) -> int:
        return int.from_bytes(self.peek(address, 4), "little")

    def write_word(self, address: int, value: int) -> None:
        self.write(address, (value & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "little"))

    def write_int(self, address: int, value: int) -> None:
        self.write(address, (value & 0xFFFF_FFFF).to_bytes(4, "little"))

    def string(self, address: int) -> bytes:
        """The zero-terminated string at ADDRESS, without its zero."""
        text = self.peek_string(address)
        self.on_read(address, len(text) + 1)
        return text

    def peek_string(self, address: int) -> bytes:
        text = bytearray()
        while True:
            # Up to the end of a 4 KiB page at a time: what lies behind may not be mapped.
            size = min(256, 0x1000 - address % 0x1000)
            part = self.peek(address, size)
            end = part.find(0)
            if end >= 0:
                return bytes(text + part[:end])
            text += part
            address += size

    def new_data(self, data: bytes) -> int:
        """DATA at a new address among the simulated libraries' variables, aligned to 16 bytes."""
        address = self._next_data
        self._next_data += (len(data) + 15) & ~15
        if self._next_data > SYSTEM_DATA + SYSTEM_DATA_SIZE:
            raise MemoryError("no room is left for the variables of simulated libraries")
        self.write(address, data)
        return address

    def new_string(self, text: bytes) -> int:
        return self.new_data(text + b"\0")

    # Running

    def call(self, address: int, *arguments: int) -> int:
        """Calls emulated code with up to 8 ARGUMENTS; returns X0, and keeps all registers."""
        saved = self.uc.context_save()
        self.stack_pointer = (self.stack_pointer - 256) & ~15
        for index, value in enumerate(arguments):
            self.uc.reg_write(UC_ARM64_REG_X0 + index, value & 0xFFFF_FFFF_FFFF_FFFF)
        self.uc.reg_write(UC_ARM64_REG_LR, RETURN)
        self._run(address)
        result: int = self.uc.reg_read(UC_ARM64_REG_X0)
        self.uc.context_restore(saved)
        return result

    def _run(self, pc: int) -> None:
        while pc != RETURN:
            if not TRAPS <= pc < TRAPS_END:
                pc = self._run_to_trap(pc)
                continue
            target = self.on_trap(pc)
            pc = self.link_register if target is None else target

    def _run_to_trap(self, pc: int) -> int:
        self._fault = None
        try:
            self.uc.emu_start(pc, TRAPS_END)
        except UcError as error:
            pc = self.uc.reg_read(UC_ARM64_REG_PC)
            if error.errno == UC_ERR_FETCH_UNMAPPED and (pc == RETURN or TRAPS <= pc < TRAPS_END):
                return pc
            raise self._crash(error, pc) from None
        raise Crash("SIGILL", f"the emulation ended at {self.uc.reg_read(UC_ARM64_REG_PC):#x}")

    def _crash(self, error: UcError, pc: int) -> Crash:
        place = f"at {self.describe(pc)}, called from {self.describe_caller()}"
        if self._fault:
            address, size = self._fault
            return Crash("SIGSEGV", f"no access to {size} bytes at {address:#x}, {place}")
        if error.errno == UC_ERR_FETCH_UNMAPPED:
            return Crash("SIGSEGV", f"jump to {pc:#x}, {place}")
        if error.errno != UC_ERR_EXCEPTION:
            return Crash("SIGILL", f"{error} {place}")
        instruction = self.peek_int(pc)
        if instruction & BREAKPOINT_MASK == BREAKPOINT:
            return Crash("SIGTRAP", f"trap {place}")
        return Crash("SIGILL", f"instruction {instruction:#010x} {place}")

    def describe_caller(self) -> str:
        """Where the simulated function that runs now was called from."""
        return self.describe(self.link_register - 4)  # the call: it may be a function's last word

    def _on_fault(self, uc: Uc, access: int, address: int, size: int, value: int, data: object) -> bool:
        self._fault = (address, size)
        return False

    def _on_mrs(self, uc: Uc, register: int, system: "ctypes.Structure", data: object) -> int:
        number = (system.op0, system.op1, system.crn, system.crm, system.op2)
        if number == (3, 3, 14, 0, 2):
            uc.reg_write(register, self._ticks())
        elif number == (3, 3, 14, 0, 0):
            uc.reg_write(register, 24_000_000)
        else:
            return 0
        return 1  # skips the instruction
