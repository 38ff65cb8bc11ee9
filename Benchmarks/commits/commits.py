#!/usr/bin/env python3
"""Makes a repository of 25 commits from the source of zstd 1.5.4.

Four commits make a launch worse: 9 (a table that is filled at startup), 15 (a larger function), 20 (a library), 22
(renamed functions). The others change documentation, comments, and functions that no launch runs.

usage: commits.py FOLDER      the unpacked source, with build.sh and the order file
"""

import glob
import os
import re
import subprocess
import sys

WORSE = {
    9: "cli: registry of codecs at startup",
    15: "cli: more cases in main",
    20: "read .xz with liblzma",
    22: "rename FIO_, UTIL_, AIO_ and some of ZSTD_",
}
RENAMED = """ZSTD_buildSeqStore ZSTD_resetCCtx_internal ZSTD_entropyCompressSeqStore_internal HUF_compress_internal
FSE_buildCTable_wksp ZSTD_compressBegin_internal ZSTD_compressContinue_internal ZSTD_adjustCParams_internal
ZSTD_buildSequencesStatistics ZSTD_selectEncodingType ZSTD_buildCTable HUF_sort HUF_buildTree
ZSTD_getCParams_internal""".split()
CODECS = 700


def read(path):
    with open(path, encoding="latin-1") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="latin-1") as file:
        file.write(text)


def replace(path, old, new):
    text = read(path)
    if old not in text:
        sys.exit(f"{path}: expected {old!r}")
    write(path, text.replace(old, new, 1))


def append(path, text):
    write(path, read(path) + text)


def commit(number, message):
    time = 1772442000 + 7 * 3600 * number
    zone = [0, 2, -7, 9, 5][number % 5]
    date = f"{time} {zone:+03d}00"
    environment = dict(os.environ, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", *identity, "commit", "-q", "-m", message], check=True, env=environment)
    subprocess.run(["git", "tag", f"c{number}"], check=True)


def registry():
    probes = "".join(
        f"static int probe_{i}(const char* s) {{ return s[0] == {i % 250} && s[1] == {i // 3 % 250}; }}\n"
        for i in range(CODECS)
    )
    rows = "".join(
        f'  {{ "codec-{i:04d}", probe_{i}, ".c{i}", {{ {i}, {i + 1}, {i * 3} }} }},\n' for i in range(CODECS)
    )
    return f"""/* codec registry */
#include <stddef.h>
typedef struct {{ const char* name; int (*probe)(const char*); const char* ext; int level[29]; }} codec_t;
{probes}codec_t const codecs[] = {{
{rows}}};
static const codec_t* hash[2048];
unsigned registry_count;
__attribute__((noinline)) static unsigned hash_name(const char* s) {{
  unsigned h = 5381;
  while (*s) h = h * 33 + (unsigned char)*s++;
  return h % 2048;
}}
__attribute__((noinline)) static void insert_codec(const codec_t* c) {{
  unsigned h = hash_name(c->name);
  while (hash[h]) h = (h + 1) % 2048;
  hash[h] = c;
  registry_count++;
}}
__attribute__((noinline)) void load_registry(void) {{
  unsigned i;
  for (i = 0; i < sizeof codecs / sizeof *codecs; i++) insert_codec(&codecs[i]);
}}
"""


def make_worse(number):
    main = "programs/zstdcli.c"
    if number == 9:
        write("programs/registry.c", registry())
        replace(main, "int main(", "void load_registry(void);\nint main(")
        replace(main, "checkLibVersion();", "load_registry(); checkLibVersion();")
    elif number == 15:
        cases = "".join(
            f'    if (argCount == {1000 + i}) {{ DISPLAYLEVEL(1, "case {i} %d %s\\n", argCount * {i * 7 + 3}, '
            f"argv[{i % 5}]); filenames->tableSize += {i}; g_displayLevel ^= {i * 13 % 255}; }}\n"
            for i in range(220)
        )
        replace(main, "load_registry(); checkLibVersion();", f"load_registry(); checkLibVersion();\n{cases}")
    elif number == 20:
        replace("build.sh", "-Wl,--build-id", "-Wl,--build-id -Wl,--no-as-needed -llzma")
        replace(
            main,
            "void load_registry(void);\n",
            "void load_registry(void);\nextern unsigned lzma_version_number(void);\n",
        )
        replace(
            main,
            "load_registry(); checkLibVersion();",
            "load_registry(); if (lzma_version_number() < 50000000) return 1; checkLibVersion();",
        )
    elif number == 22:
        for path in glob.glob("programs/*.[ch]"):
            text = re.sub(r"\bFIO_(?=[a-z])", "FileIO_", read(path))
            text = re.sub(r"\bUTIL_(?=[a-z])", "Util_", text)
            write(path, re.sub(r"\bAIO_(?=[A-Z])", "AsyncIO_", text))
        for path in glob.glob("lib/**/*.[ch]", recursive=True):
            text = read(path)
            for name in RENAMED:
                text = re.sub(rf"\b{name}\b", f"{name}V2", text)
            write(path, text)


def make_no_difference(number):
    if number % 6 == 0:
        append("programs/util.c", f"\nint UTIL_helper{number}(int v) {{ return v & {number}; }}\n")
        return "util: helper that no launch calls"
    if number % 6 == 3:
        replace("programs/zstdcli.c", "int main(", f"/* entry point {number} */\nint main(")
        return "cli: comment"
    append("README.md", f"\nnote {number}\n")
    return "docs"


def main():
    os.chdir(sys.argv[1])
    subprocess.run(["git", "init", "-q", "-b", "main"], check=True)
    write(".gitignore", "out/\nprograms/obj\nprograms/zstd\n*.o\nhave_*\n")
    commit(1, "import zstd 1.5.4")
    for number in range(2, 26):
        if number in WORSE:
            make_worse(number)
            commit(number, WORSE[number])
        else:
            commit(number, make_no_difference(number))


main()
