#!/bin/bash
# The steps of the GitHub action, action.yml, which sets ORDERFILE_* to its inputs.
# usage: action.sh install|auto|check
set -euo pipefail
# The folder that the workflow uploads as an artifact.
reports=$RUNNER_TEMP/orderfile-check
fail() { echo "::error title=orderfile::$1"; exit "${2:-1}"; }

# Refuses values other than true and false: GitHub's inputs are texts, and 'yes' would silently mean false.
boolean() {
  [[ $2 == true || $2 == false ]] || fail "invalid input $1: expected true or false, found '$2'"
}

install() {
  boolean install-only "$ORDERFILE_INSTALL_ONLY"
  boolean sarif "$ORDERFILE_SARIF"
  boolean strict "$ORDERFILE_STRICT"
  boolean fail-on-base "$ORDERFILE_FAIL_ON_BASE"
  local package=$ORDERFILE_PACKAGE folder=$RUNNER_TEMP/orderfile
  if [[ -z $package ]] && command -v orderfile >/dev/null; then
    orderfile --version
    return
  fi
  if [[ -z $package ]]; then
    [[ $(uname -s) != Darwin ]] ||
      fail "releases have no package for macOS: install orderfile before this step, or give the input package"
    [[ -n $ORDERFILE_REPOSITORY ]] ||
      fail "unable to find the release: the action is used by its path, so GitHub names no repository; give the input package"
    local version
    version=$(sed -n 's/^package let toolVersion = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Sources/Features/Rendering/ToolVersion.swift")
    package=$GITHUB_SERVER_URL/$ORDERFILE_REPOSITORY/releases/download/v$version/orderfile-$version-linux-$(uname -m).tar.gz
  fi
  mkdir -p "$folder"
  if [[ $package == http://* || $package == https://* ]]; then
    curl --fail --silent --show-error --location --retry 3 --output "$folder.tar.gz" "$package" ||
      fail "unable to download $package"
    package=$folder.tar.gz
  fi
  tar -xzf "$package" -C "$folder" --strip-components=1 || fail "unable to unpack $package"
  "$folder/bin/orderfile" --version
  echo "$folder/bin" >>"$GITHUB_PATH"
}

# Appends the build command to words. If the command is a program with plain words, its words are appended, so that
# 'auto' sees the build system. Any other command is passed to a shell.
add_build() {
  local plain='^[[:alnum:]_./:=,+@%[:blank:]-]+$' build=${ORDERFILE_BUILD%$'\n'} command
  read -r -a command <<<"$build"
  if [[ $build =~ $plain && $(type -t -- "${command[0]-}") == file ]]; then
    words+=(-- "${command[@]}")
  else
    words+=(-- bash -c "$ORDERFILE_BUILD")
  fi
}

auto() {
  local line words=() folder=orderfile-auto
  while IFS= read -r line; do
    line=${line%$'\r'}
    [[ -z ${line//[[:blank:]]/} ]] || words+=(--launch "$line")
  done <<<"$ORDERFILE_LAUNCHES"
  [[ -z ${ORDERFILE_BUILD//[[:space:]]/} ]] || add_build
  orderfile auto --output "$folder" "${words[@]}"
  cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"
  rm -rf "$reports/auto"
  mkdir -p "$reports/auto"
  cp -r "$folder"/summary.* "$folder/orders" "$reports/auto"
  echo "folder=$PWD/$folder" >>"$GITHUB_OUTPUT"
}

check() {
  local documents words=() status=0
  read -r -d '' -a documents <<<"$ORDERFILE_DOCUMENTS" || true
  [[ -z $ORDERFILE_BASE ]] || words+=(--base "$ORDERFILE_BASE")
  [[ $ORDERFILE_STRICT != true ]] || words+=(--strict)
  [[ $ORDERFILE_FAIL_ON_BASE != true ]] || words+=(--fail-on-base)
  [[ -z $ORDERFILE_LAUNCH ]] || words+=(--launch "$ORDERFILE_LAUNCH" --documents "$reports")
  [[ -z $ORDERFILE_IMAGE ]] || words+=(--image "$ORDERFILE_IMAGE")
  [[ -z $ORDERFILE_BEFORE ]] || words+=(--before "$ORDERFILE_BEFORE")
  [[ -z $ORDERFILE_ORDER ]] || words+=(--order "$ORDERFILE_ORDER")
  mkdir -p "$reports"
  rm -f "$reports"/{check.json,junit.xml,check.sarif,summary.md,history.jsonl}
  if [[ -n $ORDERFILE_HISTORY ]]; then
    words+=(--history "$ORDERFILE_HISTORY")
    # The download of the first job has made no folder.
    mkdir -p "$(dirname -- "$ORDERFILE_HISTORY")"
  fi
  orderfile check --budget "$ORDERFILE_BUDGET" "${words[@]}" --json -o "$reports/check.json" \
    --export-junit "$reports/junit.xml" --export-sarif "$reports/check.sarif" \
    --export-markdown "$reports/summary.md" -- "${documents[@]}" || status=$?
  [[ -z $ORDERFILE_HISTORY || ! -e $ORDERFILE_HISTORY ]] || cp -- "$ORDERFILE_HISTORY" "$reports/history.jsonl"
  # Without a report, there is only an error, and the log has it.
  [[ -e $reports/check.json ]] || exit "$status"
  cat "$reports/summary.md" >>"$GITHUB_STEP_SUMMARY"
  {
    echo "outcome=$(sed -n 's/^  "outcome": "\(.*\)",$/\1/p' "$reports/check.json")"
    echo "report=$reports/check.json"
    echo "sarif=$reports/check.sarif"
  } >>"$GITHUB_OUTPUT"
  exit "$status"
}

case ${1-} in
  install | auto | check) "$1" ;;
  *) echo "usage: action.sh install|auto|check" >&2; exit 64 ;;
esac
