#!/usr/bin/env python3
"""Compares the output of `orderfile audit --json` for images with the output of other tools.

usage: compare.py ORDERFILE IMAGE...

ELF: libraries with lddtree (pax-utils), initializers and relocations with pyelftools.
Mach-O: libraries and initializers with LIEF, rebases and binds with llvm-objdump.
Prints a line for each image: equal lines, lines, and the lines that differ.
"""

import json
import re
import shutil
import subprocess
import sys


def audit(command, image, *options):
    run = subprocess.run([command, "audit", "-q", "--json", image, *options], capture_output=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.decode())
    return json.loads(run.stdout)


def own_initializers(document):
    name = document["images"][0]["name"]
    return [i for i in document["initializers"] if i["image"] == name]


def elf_lines(image):
    from elftools.elf.elffile import ELFFile
    from elftools.elf.enums import ENUM_RELOC_TYPE_x64 as types
    from elftools.elf.relocation import RelocationSection, RelrRelocationSection

    kinds = {
        "R_X86_64_RELATIVE": "relative",
        "R_X86_64_64": "symbolic",
        "R_X86_64_GLOB_DAT": "globalData",
        "R_X86_64_JUMP_SLOT": "jumpSlot",
        "R_X86_64_IRELATIVE": "indirect",
        "R_X86_64_COPY": "copy",
        "R_X86_64_DTPMOD64": "threadLocal",
        "R_X86_64_TPOFF64": "threadLocal",
        "R_X86_64_DTPOFF64": "threadLocal",
        "R_X86_64_TLSDESC": "threadLocal",
    }
    names = {number: name for name, number in types.items()}
    lines = set()
    with open(image, "rb") as stream:
        file = ELFFile(stream)
        counts, addends, pages = {}, {}, set()
        for section in file.iter_sections():
            if not section["sh_flags"] & 2:
                continue
            if isinstance(section, RelrRelocationSection):
                for relocation in section.iter_relocations():
                    counts["relr"] = counts.get("relr", 0) + 1
                    pages.add(relocation["r_offset"] // 4096)
            elif isinstance(section, RelocationSection):
                for relocation in section.iter_relocations():
                    kind = kinds.get(names.get(relocation["r_info_type"]), "other")
                    counts[kind] = counts.get(kind, 0) + 1
                    pages.add(relocation["r_offset"] // 4096)
                    if kind == "relative":
                        addends[relocation["r_offset"]] = relocation["r_addend"]
        lines |= {f"relocations {kind} {count}" for kind, count in counts.items()}
        lines.add(f"pages {len(pages)}")
        for name in [".preinit_array", ".init_array"]:
            section = file.get_section_by_name(name)
            if section is None:
                continue
            data, start = section.data(), section["sh_addr"]
            for at in range(0, len(data), 8):
                value = addends.get(start + at, int.from_bytes(data[at : at + 8], "little"))
                if value not in (0, 2**64 - 1):
                    lines.add(f"initializer {name} {value:#x}")
        dynamic = file.get_section_by_name(".dynamic")
        if dynamic is not None:
            for tag in dynamic.iter_tags("DT_INIT"):
                lines.add(f"initializer DT_INIT {tag['d_val']:#x}")
    tree = subprocess.run([sys.executable, shutil.which("lddtree"), "-a", image], capture_output=True, text=True).stdout
    for line in tree.splitlines()[1:]:
        name, _, path = line.strip().partition(" => ")
        lines.add(f"library {name} {path}")
    return lines


def elf_own_lines(document):
    image = document["images"][0]
    lines = {f"relocations {k['kind']} {k['words']}" for k in image["relocations"]["kinds"]}
    lines.add(f"pages {image['relocations']['pages']}")
    lines |= {f"initializer {i['kind']} {i['address']}" for i in own_initializers(document)}
    for library in document["libraries"]:
        lines.add(f"library {library['name']} {library['path']}")
    return lines


def macho_lines(image, architecture):
    import lief

    cpu = {"arm64": lief.MachO.Header.CPU_TYPE.ARM64, "x86_64": lief.MachO.Header.CPU_TYPE.X86_64}
    binary = lief.MachO.parse(image).take(cpu[architecture])
    kinds = {
        "LOAD_DYLIB": "required",
        "LOAD_WEAK_DYLIB": "weak",
        "REEXPORT_DYLIB": "reexported",
        "LOAD_UPWARD_DYLIB": "upward",
        "LAZY_LOAD_DYLIB": "lazy",
    }
    lines = set()
    for library in binary.libraries:
        kind = str(library.command).split(".")[-1]
        if kind in kinds:
            lines.add(f"library {library.name} {kinds[kind]}")
    base = binary.get_segment("__TEXT").virtual_address
    for section in binary.sections:
        if section.type.name == "MOD_INIT_FUNC_POINTERS":
            lines.add(f"initializers __mod_init_func {section.size // 8}")
        if section.type.name == "INIT_FUNC_OFFSETS":
            data = bytes(section.content)
            for at in range(0, len(data), 4):
                address = base + int.from_bytes(data[at : at + 4], "little")
                lines.add(f"initializer __init_offsets {address:#x}")
        for name in ["__objc_classlist", "__objc_catlist", "__objc_protolist", "__objc_selrefs"]:
            if section.name == name:
                lines.add(f"{name} {section.size // 8}")

    def dump(*options):
        return subprocess.run(
            ["llvm-objdump-19", "--macho", f"--arch={architecture}", *options, image], capture_output=True, text=True
        ).stdout.splitlines()

    if binary.has_dyld_chained_fixups:
        rows = [row.split() for row in dump("--dyld-info")]
        rows = [row for row in rows if len(row) > 3 and row[0].startswith("__")]
        binds = [row for row in rows if "bind" in row[4:6]]
        rebases = len(rows) - len(binds)
        found = {"rebase": rebases, "bind": len(binds)}
    else:

        def count(option):
            return sum(1 for row in dump(option) if re.match(r"__\w+ +\S+ +0x", row))

        found = {
            "rebase": count("--rebase"),
            "bind": count("--bind"),
            "weakBind": count("--weak-bind"),
            "lazyBind": count("--lazy-bind"),
        }
    lines |= {f"fixups {kind} {words}" for kind, words in found.items() if words}
    return lines


def macho_own_lines(document, is_chained, theirs):
    image = document["images"][0]
    lines = set()
    for library in document["libraries"]:
        if library["direct"]:
            lines |= {
                f"library {library['name']} {request['kind']}"
                for request in library["neededBy"]
                if request["image"] == image["name"]
            }
    pointers = sum(1 for i in own_initializers(document) if i["kind"] == "__mod_init_func")
    if pointers:
        lines.add(f"initializers __mod_init_func {pointers}")
    lines |= {
        f"initializer __init_offsets {i['address']}"
        for i in own_initializers(document)
        if i["kind"] == "__init_offsets"
    }
    kinds = {k["kind"]: k["words"] for k in image["relocations"]["kinds"]}
    if "lazyBind" not in kinds and "weakBind" in kinds and is_chained:
        # For chained fixups, llvm-objdump counts both kinds as binds.
        kinds["bind"] = kinds.get("bind", 0) + kinds.pop("weakBind")
    lines |= {f"fixups {kind} {words}" for kind, words in kinds.items()}
    counts = image.get("objectiveC")
    if counts:
        for key, name in [
            ("classes", "__objc_classlist"),
            ("categories", "__objc_catlist"),
            ("protocols", "__objc_protolist"),
            ("selectors", "__objc_selrefs"),
        ]:
            if counts[key]:
                lines.add(f"{name} {counts[key]}")
    return lines


def main():
    command, images = sys.argv[1], sys.argv[2:]
    equal = total = 0
    for image in images:
        with open(image, "rb") as stream:
            is_elf = stream.read(4) == b"\x7fELF"
        if is_elf:
            theirs, ours = elf_lines(image), elf_own_lines(audit(command, image))
        else:
            import lief

            binary = lief.MachO.parse(image).at(0)
            first = binary.header.cpu_type.name.lower()
            theirs = macho_lines(image, first)
            document = audit(command, image, "--arch", first)
            ours = macho_own_lines(document, binary.has_dyld_chained_fixups, theirs)
        equal += len(theirs & ours)
        total += len(theirs | ours)
        print(f"{len(theirs & ours)} of {len(theirs | ours)}  {image}")
        for line in sorted(theirs - ours):
            print(f"    only theirs: {line}")
        for line in sorted(ours - theirs):
            print(f"    only ours:   {line}")
    print(f"{equal} of {total} lines are equal, in {len(images)} images")
    return 0 if equal == total else 1


sys.exit(main())
