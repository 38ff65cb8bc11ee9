"""<fcntl.h>, <unistd.h>, <sys/stat.h>, <stdio.h>'s rename: on files of one folder of the host."""

import ctypes
import errno
import fcntl as host_fcntl
import os
import struct
from typing import TYPE_CHECKING

from calls import Address, Int32, Int64, UInt32, UInt64, Variadic, function

if TYPE_CHECKING:
    from process import Process

_host = ctypes.CDLL(None, use_errno=True)

# <sys/fcntl.h>: Darwin's number, the host's
OPEN_FLAGS = [
    (0x0004, os.O_NONBLOCK),
    (0x0008, os.O_APPEND),
    (0x0100, os.O_NOFOLLOW),
    (0x0200, os.O_CREAT),
    (0x0400, os.O_TRUNC),
    (0x0800, os.O_EXCL),
    (0x100000, os.O_DIRECTORY),
    (0x1000000, os.O_CLOEXEC),
    (0x20000000, os.O_NOFOLLOW),  # O_NOFOLLOW_ANY
]
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL = 0, 1, 2, 3, 4
F_PREALLOCATE, F_GETPATH, F_DUPFD_CLOEXEC = 42, 50, 67
ADVICE = (44, 45, 48, 51, 73, 75, 76)  # F_RDADVISE, F_RDAHEAD, F_NOCACHE, F_FULLFSYNC, ...
F_ALLOCATEALL, F_PEOFPOSMODE, F_VOLPOSMODE = 4, 3, 4
RENAME_SWAP, RENAME_EXCL = 2, 4  # <sys/stdio.h>
AT_FDCWD = -2
AT_SYMLINK_NOFOLLOW = 0x20


def _host_flags(flags: int) -> int:
    result = flags & 3  # O_RDONLY, O_WRONLY, O_RDWR
    for darwin, host in OPEN_FLAGS:
        if flags & darwin:
            result |= host
    return result


@function("_open", "_open$NOCANCEL", "___open_nocancel")
def open_(process: "Process", path: Address, flags: Int32, rest: Variadic) -> int:
    mode = rest.next(UInt32) if flags & 0x200 else 0
    return process.files.open(process.machine.string(path), _host_flags(flags), mode)


@function("_openat", "_openat$NOCANCEL")
def openat(process: "Process", folder: Int32, path: Address, flags: Int32, rest: Variadic) -> int:
    if folder != AT_FDCWD:
        raise OSError(errno.ENOSYS, "openat of a descriptor")
    return open_(process, path, flags, rest)  # type: ignore[no-any-return]


@function("_close", "_close$NOCANCEL", "___close_nocancel")
def close(process: "Process", descriptor: Int32) -> int:
    process.files.close(descriptor)
    return 0


@function("_read", "_read$NOCANCEL")
def read(process: "Process", descriptor: Int32, buffer: Address, size: UInt64) -> int:
    data = os.read(descriptor, size)
    process.machine.write(buffer, data)
    return len(data)


@function("_pread", "_pread$NOCANCEL", "___pread_nocancel")
def pread(process: "Process", descriptor: Int32, buffer: Address, size: UInt64, offset: Int64) -> int:
    data = os.pread(descriptor, size, offset)
    process.machine.write(buffer, data)
    return len(data)


@function("_write", "_write$NOCANCEL", "___write_nocancel")
def write(process: "Process", descriptor: Int32, buffer: Address, size: UInt64) -> int:
    return os.write(descriptor, process.machine.read(buffer, size))


@function("_writev", "_writev$NOCANCEL")
def writev(process: "Process", descriptor: Int32, parts: Address, count: Int32) -> int:
    machine = process.machine
    bounds = struct.iter_unpack("<QQ", machine.read(parts, 16 * count))
    return os.writev(descriptor, [machine.read(address, size) for address, size in bounds])


@function("_pwrite", "_pwrite$NOCANCEL")
def pwrite(process: "Process", descriptor: Int32, buffer: Address, size: UInt64, offset: Int64) -> int:
    return os.pwrite(descriptor, process.machine.read(buffer, size), offset)


@function("_lseek")
def lseek(process: "Process", descriptor: Int32, offset: Int64, whence: Int32) -> int:
    return os.lseek(descriptor, offset, whence)


@function("_fchmod")
def fchmod(process: "Process", descriptor: Int32, mode: UInt32) -> int:
    os.fchmod(descriptor, mode & 0o7777)
    return 0


@function("_ftruncate")
def ftruncate(process: "Process", descriptor: Int32, size: Int64) -> int:
    os.ftruncate(descriptor, size)
    return 0


@function("_fsync")
def fsync(process: "Process", descriptor: Int32) -> int:
    os.fsync(descriptor)
    return 0


@function("_fcntl", "_fcntl$NOCANCEL", "___fcntl_nocancel")
def fcntl(process: "Process", descriptor: Int32, command: Int32, rest: Variadic) -> int:
    if command in (F_DUPFD, F_DUPFD_CLOEXEC):
        wanted = host_fcntl.F_DUPFD if command == F_DUPFD else host_fcntl.F_DUPFD_CLOEXEC
        return process.files.add(host_fcntl.fcntl(descriptor, wanted, rest.next(Int32)))
    if command in (F_GETFD, F_SETFD):
        return host_fcntl.fcntl(descriptor, command, rest.next(Int32) if command == F_SETFD else 0)
    if command == F_GETFL:
        return host_fcntl.fcntl(descriptor, host_fcntl.F_GETFL) & 3
    if command == F_PREALLOCATE:
        return _preallocate(process, descriptor, rest.next(Address))
    if command == F_GETPATH:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        process.machine.write(rest.next(Address), os.fsencode(path) + b"\0")
        return 0
    if command in ADVICE:
        return 0
    raise OSError(errno.EINVAL, f"fcntl command {command}")


def _preallocate(process: "Process", descriptor: int, address: int) -> int:
    """fstore_t: flags, position mode, offset, length, and how many bytes were allocated.

    F_PEOFPOSMODE allocates from the physical end of the file. The size stays (fcntl(2)).
    """
    machine = process.machine
    _, mode, offset, length = struct.unpack("<IiQQ", machine.read(address, 24))
    if mode == F_PEOFPOSMODE:
        status = os.fstat(descriptor)
        offset = max(status.st_size, status.st_blocks * 512)
    elif mode != F_VOLPOSMODE:
        raise OSError(errno.EINVAL, "position mode")
    keep_size = 1  # FALLOC_FL_KEEP_SIZE
    arguments = (ctypes.c_long(offset), ctypes.c_long(length))
    if _host.fallocate(descriptor, keep_size, *arguments) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")
    machine.write_word(address + 24, length)
    return 0


def _write_status(process: "Process", address: int, status: os.stat_result) -> int:
    """struct stat with 64-bit inodes: 144 bytes (<sys/stat.h>)."""
    times = []
    for nanoseconds in (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns):
        times += [*divmod(nanoseconds, 1_000_000_000)]
    data = struct.pack(
        "<iHHQIIi4x8q",
        status.st_dev & 0x7FFFFFFF,
        status.st_mode,
        min(status.st_nlink, 0xFFFF),
        status.st_ino,
        status.st_uid,
        status.st_gid,
        0,
        *times,
        *times[4:],
    )
    data += struct.pack("<qqiIIi16x", status.st_size, status.st_blocks, status.st_blksize, 0, 0, 0)
    process.machine.write(address, data)
    return 0


@function("_stat", "_stat$INODE64")
def stat(process: "Process", path: Address, buffer: Address) -> int:
    return _write_status(process, buffer, os.stat(_path(process, path, follow=True)))


@function("_lstat", "_lstat$INODE64")
def lstat(process: "Process", path: Address, buffer: Address) -> int:
    return _write_status(process, buffer, os.lstat(_path(process, path)))


@function("_fstat", "_fstat$INODE64")
def fstat(process: "Process", descriptor: Int32, buffer: Address) -> int:
    return _write_status(process, buffer, os.fstat(descriptor))


@function("_fstatat", "_fstatat$INODE64")
def fstatat(process: "Process", folder: Int32, path: Address, buffer: Address, flag: Int32) -> int:
    if folder != AT_FDCWD:
        raise OSError(errno.ENOSYS, "fstatat of a descriptor")
    body = lstat if flag & AT_SYMLINK_NOFOLLOW else stat
    return body(process, path, buffer)  # type: ignore[no-any-return]


def _path(process: "Process", address: int, follow: bool = False) -> str:
    return process.files.path(process.machine.string(address), follow)


@function("_unlink")
def unlink(process: "Process", path: Address) -> int:
    os.unlink(_path(process, path))
    return 0


@function("_rename")
def rename(process: "Process", path: Address, new_path: Address) -> int:
    old, new = _path(process, path), _path(process, new_path)
    os.rename(old, new)
    process.mappings.renamed(old, new)
    return 0


@function("_renamex_np")
def renamex_np(process: "Process", path: Address, new_path: Address, flags: UInt32) -> int:
    """RENAME_EXCL fails with EEXIST rather than replace."""
    if flags not in (0, RENAME_EXCL):
        raise OSError(errno.ENOTSUP, "renamex_np flags")
    old, new = _path(process, path), _path(process, new_path)
    if flags == 0:
        return rename(process, path, new_path)  # type: ignore[no-any-return]
    at_cwd, no_replace = -100, 1
    names = (os.fsencode(old), os.fsencode(new))
    if _host.renameat2(at_cwd, names[0], at_cwd, names[1], no_replace) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")
    process.mappings.renamed(old, new)
    return 0


@function("_link")
def link(process: "Process", path: Address, new_path: Address) -> int:
    os.link(_path(process, path), _path(process, new_path))
    return 0


@function("_mkdir")
def mkdir(process: "Process", path: Address, mode: UInt32) -> int:
    os.mkdir(_path(process, path), mode)
    return 0


@function("_rmdir")
def rmdir(process: "Process", path: Address) -> int:
    os.rmdir(_path(process, path))
    return 0


@function("_access")
def access(process: "Process", path: Address, mode: Int32) -> int:
    if not os.access(_path(process, path, follow=True), mode):
        raise OSError(errno.EACCES, "access")
    return 0


@function("_flock")
def flock(process: "Process", descriptor: Int32, operation: Int32) -> int:
    host_fcntl.flock(descriptor, operation)  # LOCK_SH 1, LOCK_EX 2, LOCK_NB 4, LOCK_UN 8 on both
    return 0


@function("_getcwd")
def getcwd(process: "Process", buffer: Address, size: UInt64) -> int:
    path = os.fsencode(process.files.current) + b"\0"
    if len(path) > size:
        process.set_errno(errno.ERANGE)
        return 0
    process.machine.write(buffer, path)
    return buffer


@function("_chdir")
def chdir(process: "Process", path: Address) -> int:
    folder = _path(process, path, follow=True)
    if not os.path.isdir(folder):
        raise NotADirectoryError(errno.ENOTDIR, folder)
    process.files.current = folder
    return 0


@function("_realpath$DARWIN_EXTSN", "_realpath")
def realpath(process: "Process", path: Address, buffer: Address) -> int:
    text = os.fsencode(os.path.realpath(_path(process, path, follow=True))) + b"\0"
    place = buffer or process.heap.allocate(1024)
    process.machine.write(place, text)
    return place
