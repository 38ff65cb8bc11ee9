"""<unistd.h>, <stdlib.h>, <pthread.h>, <mach/mach_time.h>, <sys/sysctl.h>: the process, its one
thread, time."""

import errno
import os
import random
import struct
from typing import TYPE_CHECKING

from calls import Address, Int32, UInt32, UInt64, function
from clock import BOOT
from machine import PAGE, Crash

if TYPE_CHECKING:
    from process import Process

SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV"}
SIGNALS |= {15: "SIGTERM"}
THREAD = 0x1_2345  # the kernel's number of the one thread
CTL_KERN, KERN_PROC, KERN_BOOTTIME, KERN_PROC_PID = 1, 14, 21, 1  # <sys/sysctl.h>
CTL_HW, HW_PAGESIZE, HW_NCPU = 6, 7, 3
KINFO_PROC_SIZE = 648  # struct kinfo_proc; the offsets below are of its fields
P_STARTTIME, P_STAT, P_PID, E_PPID = 0, 36, 40, 560
SRUN, SZOMB = 2, 5  # <sys/proc.h>


# The end


@function("_exit")
def exit_(process: "Process", status: Int32) -> None:
    process.exit(status)


@function("__exit", "__Exit", "_quick_exit")
def exit_at_once(process: "Process", status: Int32) -> None:
    process.exit_at_once(status)


@function("_abort", "___stack_chk_fail", "_abort_report_np")
def abort(process: "Process") -> None:
    raise Crash("SIGABRT", "abort, called from " + process.machine.describe_caller())


@function("___assert_rtn")
def assert_failed(process: "Process", where: Address, file: Address, line: Int32) -> None:
    raise Crash("SIGABRT", f"assertion failed in {process.machine.string(file).decode()}:{line}")


@function("_kill", "_pthread_kill")
def kill(process: "Process", target: UInt64, signal: Int32) -> int:
    if target != process.settings.pid:
        os.kill(target, 0)
        if signal:
            raise PermissionError(errno.EPERM, "only itself")
        return 0
    return raise_(process, signal)  # type: ignore[no-any-return]


@function("_raise")
def raise_(process: "Process", signal: Int32) -> int:
    if signal:
        raise Crash(SIGNALS.get(signal, str(signal)), "raised by itself")
    return 0


@function("_atexit")
def atexit(process: "Process", handler: Address) -> int:
    caller = process.dyld.image_containing(handler)
    process.exit_handlers.append((handler, 0, caller.header if caller else 0))
    return 0


@function("___cxa_atexit")
def cxa_atexit(process: "Process", handler: Address, argument: UInt64, image: Address) -> int:
    # IMAGE is the caller's __dso_handle, which Mach-O linkers place at the header.
    process.exit_handlers.append((handler, argument, image))
    return 0


@function("___cxa_finalize")
def cxa_finalize(process: "Process", image: Address) -> None:
    process.finalize(image or None)


# Numbers


@function("_getpid")
def getpid(process: "Process") -> int:
    return process.settings.pid


@function("_getppid")
def getppid(process: "Process") -> int:
    return os.getppid()


@function("_getuid", "_geteuid", "_getgid", "_getegid")
def getuid(process: "Process") -> int:
    return 501


@function("_issetugid")
def issetugid(process: "Process") -> int:
    return 0


@function("_fork", "_vfork")
def fork(process: "Process") -> int:
    raise OSError(errno.ENOSYS, "processes are not simulated")


@function("___error")
def error(process: "Process") -> int:
    return process.errno_address


@function("_getenv")
def getenv(process: "Process", name: Address) -> int:
    machine = process.machine
    wanted = machine.string(name) + b"="
    vector = machine.read_word(process.variable("_environ"))
    while entry := machine.read_word(vector):
        if machine.string(entry).startswith(wanted):
            return entry + len(wanted)
        vector += 8
    return 0


@function("__NSGetEnviron")
def ns_environ(process: "Process") -> int:
    return process.variable("_environ")


@function("__NSGetArgc")
def ns_argc(process: "Process") -> int:
    return process.variable("_NXArgc")


@function("__NSGetArgv")
def ns_argv(process: "Process") -> int:
    return process.variable("_NXArgv")


@function("__NSGetProgname")
def ns_progname(process: "Process") -> int:
    return process.variable("___progname")


@function("_getprogname")
def getprogname(process: "Process") -> int:
    return process.progname


@function("_getentropy", "_arc4random_buf")
def getentropy(process: "Process", buffer: Address, size: UInt64) -> int:
    # Not the same in each run: it tells one launch from another.
    process.machine.write(buffer, random.Random().randbytes(size))
    return 0


@function("_arc4random")
def arc4random(process: "Process") -> int:
    return random.Random().getrandbits(32)


# The one thread


@function("_pthread_self")
def pthread_self(process: "Process") -> int:
    return process.thread


@function("_pthread_threadid_np")
def pthread_threadid_np(process: "Process", thread: Address, place: Address) -> int:
    process.machine.write_word(place, THREAD)
    return 0


@function("_pthread_mach_thread_np", "_mach_thread_self")
def mach_thread(process: "Process") -> int:
    return 0x103


@function("_pthread_main_np")
def pthread_main_np(process: "Process") -> int:
    return 1


@function(
    "_pthread_mutex_init",
    "_pthread_mutex_lock",
    "_pthread_mutex_unlock",
    "_pthread_mutex_destroy",
    "_os_unfair_lock_lock",
    "_os_unfair_lock_unlock",
    "_pthread_atfork",
    "_sched_yield",
    "_pthread_yield_np",
    "_usleep",
    "_swtch_pri",
)
def fine(process: "Process") -> int:
    return 0


@function("_pthread_once")
def pthread_once(process: "Process", control: Address, body: Address) -> int:
    machine = process.machine
    if machine.read_word(control) != 1:  # not the signature of PTHREAD_ONCE_INIT any more
        machine.write_word(control, 1)
        machine.call(body)
    return 0


@function("___cxa_guard_acquire")
def guard_acquire(process: "Process", guard: Address) -> int:
    return int(process.machine.read(guard, 1) == b"\0")


@function("___cxa_guard_release", "___cxa_guard_abort")
def guard_release(process: "Process", guard: Address) -> None:
    process.machine.write(guard, b"\1")


# Time


@function("_mach_absolute_time", "_mach_continuous_time", "_mach_approximate_time")
def mach_absolute_time(process: "Process") -> int:
    return process.clock.ticks()


@function("_mach_timebase_info")
def mach_timebase_info(process: "Process", info: Address) -> int:
    process.machine.write_int(info, 125)
    process.machine.write_int(info + 4, 3)
    return 0


def _clock(process: "Process", which: int) -> int:
    """<time.h>: CLOCK_REALTIME is 0; all others count from the machine's start."""
    return process.clock.wall_nanoseconds() if which == 0 else process.clock.nanoseconds()


@function("_clock_gettime")
def clock_gettime(process: "Process", which: UInt32, time: Address) -> int:
    seconds, rest = divmod(_clock(process, which), 1_000_000_000)
    process.machine.write(time, struct.pack("<qq", seconds, rest))
    return 0


@function("_clock_gettime_nsec_np")
def clock_gettime_nsec_np(process: "Process", which: UInt32) -> int:
    return _clock(process, which)


@function("_gettimeofday")
def gettimeofday(process: "Process", time: Address) -> int:
    seconds, rest = divmod(process.clock.wall_nanoseconds(), 1_000_000_000)
    process.machine.write(time, struct.pack("<qi", seconds, rest // 1000))
    return 0


@function("_time")
def time_(process: "Process", place: Address) -> int:
    seconds = process.clock.wall_nanoseconds() // 1_000_000_000
    if place:
        process.machine.write_word(place, seconds)
    return seconds


# What the kernel tells


def _start_of(process: "Process", pid: int) -> tuple[int, bool]:
    """When the process PID started, in microseconds since 1970, and whether it is a zombie.

    Other processes are the host's, so that one run knows whether another still lives.
    """
    if pid == process.settings.pid and not os.path.exists(f"/proc/{pid}"):
        pid = os.getpid()
    with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
        fields = file.read().rpartition(")")[2].split()
    ticks = int(fields[19])  # field 22 of proc(5), in USER_HZ
    return BOOT * 1_000_000 + ticks * 10_000, fields[0] == "Z"


def process_info(process: "Process", pid: int) -> bytes:
    """struct kinfo_proc of PID; empty if there is no such process, as sysctl(3) has it."""
    try:
        start, is_zombie = _start_of(process, pid)
    except OSError:
        return b""
    info = bytearray(KINFO_PROC_SIZE)
    struct.pack_into("<qi", info, P_STARTTIME, start // 1_000_000, start % 1_000_000)
    info[P_STAT] = SZOMB if is_zombie else SRUN
    struct.pack_into("<i", info, P_PID, pid)
    struct.pack_into("<i", info, E_PPID, os.getppid())
    return bytes(info)


@function("_sysctl")
def sysctl(process: "Process", name: Address, count: UInt32, old: Address, size: Address, new: Address) -> int:
    machine = process.machine
    numbers = struct.unpack(f"<{count}i", machine.read(name, 4 * count))
    if numbers[:3] == (CTL_KERN, KERN_PROC, KERN_PROC_PID) and count == 4:
        data = process_info(process, numbers[3])
    elif numbers == (CTL_KERN, KERN_BOOTTIME):
        data = struct.pack("<qii", BOOT, 0, 0)
    elif numbers in ((CTL_HW, HW_PAGESIZE), (CTL_HW, HW_NCPU)):
        data = struct.pack("<i", PAGE if numbers[1] == HW_PAGESIZE else 1)
    else:
        raise OSError(errno.ENOENT, f"sysctl {numbers}")
    return _answer(process, data, old, size)


@function("_sysctlbyname")
def sysctlbyname(process: "Process", name: Address, old: Address, size: Address) -> int:
    wanted = process.machine.string(name)
    known = {
        b"kern.boottime": struct.pack("<qii", BOOT, 0, 0),
        b"hw.pagesize": struct.pack("<q", PAGE),
        b"hw.tbfrequency": struct.pack("<q", 24_000_000),
    }
    if wanted not in known:
        raise OSError(errno.ENOENT, f"sysctl {wanted!r}")
    return _answer(process, known[wanted], old, size)


def _answer(process: "Process", data: bytes, old: int, size: int) -> int:
    """OLD may be null to ask for the size only; ENOMEM if the room is too small (sysctl(3))."""
    machine = process.machine
    if old:
        if machine.read_word(size) < len(data):
            raise OSError(errno.ENOMEM, "sysctl")
        machine.write(old, data)
    if size:
        machine.write_word(size, len(data))
    return 0


@function("_getrlimit")
def getrlimit(process: "Process", which: Int32, limit: Address) -> int:
    infinity = 2**63 - 1  # RLIM_INFINITY
    process.machine.write(limit, struct.pack("<QQ", infinity, infinity))
    return 0


@function("_sysconf")
def sysconf(process: "Process", which: Int32) -> int:
    known = {29: PAGE, 58: 1}  # _SC_PAGESIZE, _SC_NPROCESSORS_ONLN of <unistd.h>
    if which not in known:
        raise OSError(errno.EINVAL, f"sysconf {which}")
    return known[which]
