#!/usr/bin/env python3
"""Checks the selectors and classes that `orderfile audit` calls unused, without its readers.

usage: unused.py ORDERFILE FOLDER...

Each folder is a program or package, such as an unpacked wheel: its images may use each other. Needs LIEF (reads only
segments and sections) and NumPy. A selector or class is confirmed as unused if, in each image of its folder that has
the name,

  - no instruction refers to a slot of __objc_selrefs, __objc_classrefs or __objc_superrefs for it, or to the class: on arm64 an ADRP and,
    within 64 instructions that leave its register as it is, an LDR or ADD of it; on x86-64 any four bytes that are a distance to it,
  - no protocol declares it, and no class inherits from it,
  - no string outside the names that the Objective-C runtime reads equals its name or has the name in a key path.

Prints a line for each image with a selector or class that audit is certain of, each contradicted selector or class with
the reason, and the totals.
"""

import functools
import json
import os
import re
import struct
import subprocess
import sys

import lief
import numpy

lief.logging.disable()
ARCHITECTURES = {"ARM64": "arm64", "X86_64": "x86_64"}
RUNTIME_NAMES = {"__objc_methname", "__objc_methtype", "__objc_classname"}


class Slice:
    """One architecture of a Mach-O file, as bytes by address."""

    def __init__(self, binary):
        self.architecture = ARCHITECTURES[binary.header.cpu_type.name]
        self.segments = [
            (s.virtual_address, bytes(s.content)) for s in binary.segments if s.file_size and s.name != "__PAGEZERO"
        ]
        self.sections = [(s.name, s.segment_name, s.virtual_address, s.size, s.flags_list) for s in binary.sections]
        self.base = next((s.virtual_address for s in binary.segments if s.name == "__TEXT"), 0)
        self.is_chained = binary.has_dyld_chained_fixups
        has_objc = any(s.name.startswith("__objc_") for s in binary.sections)
        self.symbols = {b.address: b.symbol.name for b in binary.bindings if b.symbol} if has_objc else {}
        self.strings = self.read_strings()

    def named(self, *names):
        return [(address, size) for name, _, address, size, _ in self.sections if name in names]

    def data(self, address, size):
        for start, content in self.segments:
            if start <= address < start + len(content):
                return content[address - start : address - start + size]
        return b""

    def pointer(self, address):
        data = self.data(address, 8)
        if len(data) < 8 or address in self.symbols:
            return 0
        (value,) = struct.unpack("<Q", data)
        if self.is_chained:
            if value >> 63:
                return 0
            value &= (1 << 36) - 1
            if value < self.base:
                value += self.base
        return value

    def text(self, address):
        data = b""
        while b"\0" not in data:
            more = self.data(address + len(data), 64)
            if not more:
                return data
            data += more
        return data.split(b"\0")[0]

    def read_strings(self):
        found = set()
        for name, _segment, address, size, flags in self.sections:
            if name in RUNTIME_NAMES or not any("CSTRING" in str(f) for f in flags):
                continue
            for text in self.data(address, size).split(b"\0"):
                found.add(text)
                found.update(text.split(b"."))
        for address, size in self.named("__ustring"):
            data = self.data(address, size)
            found.update(t.encode() for t in data.decode("utf-16-le", "replace").split("\0"))
        return found

    def slots(self, *names):
        for address, size in self.named(*names):
            yield from range(address, address + size, 8)

    @functools.cached_property
    def targets(self):
        """The addresses that instructions refer to, among the slots of references."""
        slots = self.slots("__objc_selrefs", "__objc_classrefs", "__objc_superrefs")
        wanted = numpy.array(sorted({*slots, *self.classes}), dtype=numpy.int64)
        found = set()
        for name, segment, address, size, _ in self.sections:
            if segment != "__TEXT" or name not in ("__text", "__stubs", "__objc_stubs", "__stub_helper"):
                continue
            data = self.data(address, size)
            found |= (self.arm64 if self.architecture == "arm64" else self.x86)(data, address, wanted)
        return found

    @staticmethod
    def arm64(data, start, wanted):
        words = numpy.frombuffer(data[: len(data) // 4 * 4], dtype="<u4")
        places = numpy.nonzero(words & 0x9F000000 == 0x90000000)[0]  # ADRP
        adrp = words[places].astype(numpy.int64)
        immediate = ((adrp >> 5 & 0x7FFFF) << 2) | (adrp >> 29 & 3)
        immediate = numpy.where(immediate & 1 << 20, immediate - (1 << 21), immediate)
        pages = ((start + 4 * places) & ~0xFFF) + (immediate << 12)
        near = numpy.isin(pages, numpy.unique(wanted & ~0xFFF))
        places, pages, registers = places[near], pages[near], adrp[near] & 31
        found = set()
        for distance in range(1, 65):
            keep = places + distance < len(words)
            places, pages, registers = places[keep], pages[keep], registers[keep]
            users = words[places + distance].astype(numpy.int64)
            same = (users >> 5 & 31) == registers
            for mask, value, scale in ((0xFFC00000, 0xF9400000, 8), (0xFFC00000, 0x91000000, 1)):
                hit = same & (users & mask == value)
                targets = pages[hit] + (users[hit] >> 10 & 0xFFF) * scale
                found.update(targets[numpy.isin(targets, wanted)].tolist())
            # ADRP, ADD, LDR and MOV give the register another value.
            writes = (
                numpy.isin(users & 0xFF000000, (0x91000000, 0xAA000000))
                | (users & 0x9F000000 == 0x90000000)
                | (users & 0xFFC00000 == 0xF9400000)
            )
            keep = ~(writes & (users & 31 == registers))
            places, pages, registers = places[keep], pages[keep], registers[keep]
        return found

    @staticmethod
    def x86(data, start, wanted):
        found = set()
        for shift in range(4):
            part = data[shift:]
            words = numpy.frombuffer(part[: len(part) // 4 * 4], dtype="<i4").astype(numpy.int64)
            ends = start + shift + 4 * (numpy.arange(len(words), dtype=numpy.int64) + 1)
            targets = ends + words
            found.update(targets[numpy.isin(targets, wanted)].tolist())
        return found

    def sent(self, name):
        return any(slot in self.targets for slot in self.selector_slots.get(name, []))

    @functools.cached_property
    def selector_slots(self):
        found = {}
        for slot in self.slots("__objc_selrefs"):
            found.setdefault(self.text(self.pointer(slot)), []).append(slot)
        return found

    def methods(self, address):
        """The names in a list of methods."""
        head = self.data(address, 8) if address else b""
        if len(head) < 8:
            return
        flags, count = struct.unpack("<II", head)
        for index in range(count):
            if flags & 0x80000000:
                at = address + 8 + 12 * index
                data = self.data(at, 4)
                yield self.text(self.pointer(at + struct.unpack("<i", data)[0])) if data else b""
            else:
                yield self.text(self.pointer(address + 8 + 24 * index))

    @functools.cached_property
    def declared(self):
        found = set()
        for slot in self.slots("__objc_protolist"):
            protocol = self.pointer(slot)
            for field in range(24, 56, 8):
                found.update(self.methods(self.pointer(protocol + field)))
        return found

    @property
    def classes(self):
        return [self.pointer(slot) for slot in self.slots("__objc_classlist")]

    def class_name(self, address):
        return self.text(self.pointer((self.pointer(address + 32) & ~7) + 24))

    @functools.cached_property
    def data_targets(self):
        """The addresses in words of data, except words of __objc_classlist, __objc_data and similar sections."""
        found = set()
        for name, segment, address, size, _ in self.sections:
            if segment.startswith("__DATA") and not name.startswith("__objc_"):
                found.update(self.pointer(at) for at in range(address, address + size - 7, 8))
        return found

    @functools.cached_property
    def used_classes(self):
        """The names of classes that code or another class refers to."""
        found = set()

        def add(slot):
            if slot in self.symbols:
                found.add(re.sub("^_OBJC_CLASS_[$]_", "", self.symbols[slot]).encode())
            elif self.pointer(slot):
                found.add(self.class_name(self.pointer(slot)))

        for slot in self.slots("__objc_classrefs", "__objc_superrefs"):
            if slot in self.targets:
                add(slot)
        for address in self.classes:
            add(address + 8)
            if address in self.targets or address in self.data_targets:
                found.add(self.class_name(address))
        return found


def slices(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if ".dSYM" in root or os.path.islink(path):
                continue
            with open(path, "rb") as stream:
                if stream.read(4) not in (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"):
                    continue
            file = lief.MachO.parse(path)
            for index in range(file.size if file else 0):
                binary = file.at(index)
                if binary.header.cpu_type.name in ARCHITECTURES:
                    yield path, Slice(binary)


def contradiction(kind, name, images):
    for path, image in images:
        where = os.path.basename(path)
        if name in image.strings:
            return f"a string of {where}"
        if kind == "class" and name in image.used_classes:
            return f"{where} refers to it"
        if kind == "selector" and name in image.declared:
            return f"a protocol of {where} declares it"
        if kind == "selector" and image.sent(name):
            return f"code of {where} sends it"
    return None


def main():
    command, folders = sys.argv[1], sys.argv[2:]
    totals = {"selector": [0, 0], "class": [0, 0]}
    image_count = 0
    for folder in folders:
        by_architecture = {}
        for path, image in slices(folder):
            by_architecture.setdefault(image.architecture, []).append((path, image))
        for architecture, images in sorted(by_architecture.items()):
            for path, image in images:
                if not image.named("__objc_classlist", "__objc_catlist"):
                    continue
                image_count += 1
                run = subprocess.run(
                    [command, "audit", "-q", "--json", "--arch", architecture, path], capture_output=True, check=True
                )
                document = json.loads(run.stdout)
                own = document["images"][0]["name"]
                counts = []
                lines = []
                for kind, key in (("selector", "selectors"), ("class", "classes")):
                    names = [e["name"] for e in document["unused"][key] if e["image"] == own]
                    reasons = {n: contradiction(kind, n.encode(), images) for n in names}
                    wrong = {n: r for n, r in reasons.items() if r}
                    totals[kind][0] += len(names)
                    totals[kind][1] += len(names) - len(wrong)
                    counts.append(f"{len(names) - len(wrong)} of {len(names)}")
                    lines += [f"    {kind} {n}: {wrong.get(n, 'confirmed')}" for n in names]
                if lines:
                    print(f"{own} ({architecture}): selectors {counts[0]}, classes {counts[1]}")
                    print("\n".join(lines), flush=True)
    print(
        f"{image_count} images: "
        + ", ".join(f"{right} of {count} {kind} entries confirmed" for kind, (count, right) in totals.items())
    )
    return 0 if all(right == count for count, right in totals.values()) else 1


sys.exit(main())
