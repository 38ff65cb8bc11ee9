#!/usr/bin/env python3
"""Compares the counts of `orderfile pages` with the pages that the kernel had to read, and that it copied.

usage: compare.py ORDERFILE IMAGE [ARGUMENT...]      needs root, for a loop device

The image is copied to a file system of its own whose device reads nothing ahead. The pages of the copy are evicted, and
it is launched. Then mincore(2) shows which pages of the file are in memory: these are the touched pages, because the
device reads no other pages, and because the kernel maps only cached pages around a fault. A second launch is stopped
when it ends (ptrace). Then /proc/PID/pagemap shows which pages of the image are private copies: the written pages.
"""

import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

PAGE = 4096
libc = ctypes.CDLL(None, use_errno=True)


def segments(path):
    """(file offset, address, bytes in the file, flags) of each PT_LOAD, and the entry."""
    data = open(path, "rb").read()
    entry, table = struct.unpack_from("<QQ", data, 24)
    size, count = struct.unpack_from("<HH", data, 54)
    result = []
    for i in range(count):
        kind, flags, offset, address, _, filled = struct.unpack_from("<IIQQQQ", data, table + i * size)
        if kind == 1 and filled:
            result.append((offset, address, filled, flags))
    return result, entry


def resident(path):
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        pages = (size + PAGE - 1) // PAGE
        memory = libc.mmap
        memory.restype = ctypes.c_void_p
        start = memory(None, ctypes.c_size_t(size), 1, 1, file.fileno(), ctypes.c_long(0))
        states = (ctypes.c_ubyte * pages)()
        assert libc.mincore(ctypes.c_void_p(start), ctypes.c_size_t(size), states) == 0
        libc.munmap(ctypes.c_void_p(start), ctypes.c_size_t(size))
        return {i for i in range(pages) if states[i] & 1}


def run(words, **options):
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )


def cold(image, arguments, folder):
    """The file's pages in memory after a launch of a cold copy."""
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    with open(disk + ".image", "wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", disk + ".image"], check=True)
    device = subprocess.run(
        ["losetup", "-f", "--show", disk + ".image"], check=True, capture_output=True, text=True
    ).stdout.strip()
    try:
        subprocess.run(["mount", device, disk], check=True)
        try:
            copy = os.path.join(disk, os.path.basename(image))
            shutil.copy(image, copy)
            os.sync()
            subprocess.run(["blockdev", "--setra", "0", device], check=True)
            with open(copy, "rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            left = resident(copy)
            assert not left, f"{len(left)} pages stayed in memory"
            run([copy] + arguments, cwd=folder)
            return resident(copy)
        finally:
            subprocess.run(["umount", disk])
    finally:
        subprocess.run(["losetup", "-d", device])


def copied(image, arguments, folder):
    """The stated addresses of the image's pages that are private copies of the process when it ends."""
    pid = os.fork()
    if pid == 0:
        nothing = os.open("/dev/null", os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        os.chdir(folder)
        libc.ptrace(0, 0, None, None)  # PTRACE_TRACEME
        os.execv(image, [image] + arguments)
    os.waitpid(pid, 0)
    libc.ptrace(0x4200, pid, None, ctypes.c_void_p(0x40))  # PTRACE_SETOPTIONS, PTRACE_O_TRACEEXIT
    signal, pages = 0, set()
    while True:
        libc.ptrace(7, pid, None, ctypes.c_void_p(signal))  # PTRACE_CONT
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            return pages
        signal = 0
        if status >> 8 != 5 | 6 << 8:  # not SIGTRAP with PTRACE_EVENT_EXIT
            signal = os.WSTOPSIG(status)
            continue
        bias = None
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/pagemap", "rb") as pagemap:
            for line in maps:
                fields = line.split()
                if len(fields) < 6 or fields[5] != image:
                    continue
                start, end = (int(x, 16) for x in fields[0].split("-"))
                if bias is None:
                    bias = start - (segments(image)[0][0][1] & -PAGE)
                pagemap.seek(start // PAGE * 8)
                for i, word in enumerate(
                    struct.unpack(f"<{(end - start) // PAGE}Q", pagemap.read((end - start) // PAGE * 8))
                ):
                    if word >> 63 and not word >> 61 & 1:
                        pages.add(start + i * PAGE - bias)


def main():
    orderfile, image, arguments = sys.argv[1], os.path.realpath(sys.argv[2]), sys.argv[3:]
    loads, _ = segments(image)
    folder = tempfile.mkdtemp()
    try:
        report = os.path.join(folder, "pages.json")
        method = ["--method", os.environ["METHOD"]] if "METHOD" in os.environ else []
        run([orderfile, "pages", "--json", "-o", report] + method + ["--", image] + arguments, cwd=folder)
        document = json.load(open(report))["images"][0]
        in_memory = cold(image, arguments, folder)
        copies = copied(image, arguments, folder)
    finally:
        shutil.rmtree(folder)

    def file_page(address):
        for offset, start, filled, _ in loads:
            if start & -PAGE <= address < start + filled:
                return (offset + address - start) // PAGE if address >= start else offset // PAGE
        return None

    counted = {}
    for row in document.get("loading", []) + document["pages"]:
        page = file_page(int(row["address"], 16))
        counted.setdefault(page, []).append(row)
    mapped = set()
    for offset, _start, filled, _ in loads:
        mapped |= set(range(offset // PAGE, (offset + filled + PAGE - 1) // PAGE))
    virtual = {row["address"] for row in document.get("loading", []) + document["pages"]}
    print(
        f"{os.path.basename(image)}: {len(virtual)} pages of memory counted, on {len(counted)} pages of the file; "
        f"{len(in_memory)} in memory, {len(in_memory & mapped)} of them mapped"
    )
    for page in sorted(set(counted) - in_memory):
        row = counted[page][0]
        print(f"  only counted: page {page}, {row['access']} {row.get('section')} by {row.get('accessor')}")
    for page in sorted(in_memory - set(counted)):
        print(f"  only in memory: page {page}" + ("" if page in mapped else ", not mapped"))
    writable = [(start & -PAGE, start + filled) for _, start, filled, flags in loads if flags & 2]
    written = {
        int(row["address"], 16)
        for row in document.get("loading", []) + document["pages"]
        if row["access"] == "write"
        or row["access"] == "kernel"
        and any(low <= int(row["address"], 16) < high for low, high in writable)
    }
    print(f"  {len(written)} pages counted as written, {len(copies)} private copies")
    for page in sorted(written ^ copies):
        print(f"  only {'counted' if page in written else 'copied'}: {page:#x}")


main()
