#!/bin/bash
# Checks the format and the usual mistakes of the project's sources: Swift, Python, the scripts of the report page, and C.
# Prints what is wrong, and fails; `swift format -i FILE` and `.build/lint/bin/ruff format FILE` put the format right.
set -euo pipefail
cd "$(dirname "$0")/.."
status=0

swift format lint -s -r -p Package.swift Scripts Sources Runtime Tests Examples Fuzz || status=1

Scripts/python-packages.sh lint
tools=$PWD/.build/lint/bin
mapfile -t python < <(grep -rlE --exclude-dir=.build '^#!.*python3' Benchmarks Scripts Tests; find Benchmarks Fleet Scripts Tests -name '*.py')
"$tools/ruff" check --no-cache -q "${python[@]}" || status=1
"$tools/ruff" format --no-cache -q --check "${python[@]}" || { echo "lint.sh: run '.build/lint/bin/ruff format' for the files above" >&2; status=1; }

# The page has the scripts as one text, in this order.
page=Sources/Features/CReportPage
(cd $page/Page && cat unpack.js $(sed -n 's|^#embed "Page/\([a-z]*\.js\)" suffix.*|\1|p' ../page.c)) >.build/lint/page.js
"$tools/oxlint" -c .oxlintrc.json --silent .build/lint/page.js >.build/lint/log || { cat .build/lint/log >&2; status=1; }

# What is not compiled on this system is left to the other one's compiler.
other=darwin
[[ $(uname -s) == Linux ]] || other=linux
warnings=(-Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wimplicit-fallthrough -Wformat=2 -Wundef
  -Wunreachable-code-aggressive -Wloop-analysis -Wextra-semi -Wunused-macros -Wnewline-eof -Werror)
mapfile -t includes < <(find Runtime Sources -type d -name include | sed 's/^/-I/')
while read -r file; do
  ${CLANG:-clang} -fsyntax-only -std=c11 "${warnings[@]}" "${includes[@]}" "$file" || status=1
done < <(find Runtime Sources -name '*.c' ! -name "*_$other.c" | LC_ALL=C sort)
exit $status
