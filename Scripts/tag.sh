#!/bin/bash
# Tags the checked-out commit as a release: the version in the sources, with that version's part of CHANGELOG.md.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "tag: $*" >&2; exit 1; }

version=$(sed -n 's/^package let toolVersion = "\(.*\)"$/\1/p' Sources/Features/Rendering/ToolVersion.swift)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "Sources/Features/Rendering/ToolVersion.swift: no version"
[[ -z $(git status --porcelain) ]] || fail "files are changed: commit them first"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "v$version exists: raise toolVersion"

# The part below the heading of the version, such as "## 0.2.0 - 2026-11-23", up to the next heading of the same level.
notes=$(awk -v heading="^## ${version//./\\.} - [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]\$" '
  $0 ~ heading { found = 1; next } found && /^## / { exit } found' CHANGELOG.md)
[[ -n $notes ]] || fail "CHANGELOG.md: no heading \"## $version - DATE\""

printf 'orderfile %s\n\n%s\n' "$version" "$notes" | git tag -a "v$version" --cleanup=whitespace -F -
echo "v$version; to publish it: git push origin v$version"
