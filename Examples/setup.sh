# Sourced by each run.sh: the paths of the tools, a temporary folder, and the check at the end.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export ORDERFILE=${ORDERFILE:-$root/.build/release/orderfile}
export ORDERFILE_RUNTIME=${ORDERFILE_RUNTIME:-$root/.build/runtime/orderfile_rt.o}
for file in "$ORDERFILE" "$ORDERFILE_RUNTIME"; do
  [[ -e $file ]] || { echo "missing $file: run 'make build' first" >&2; exit 1; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
exec 3>&1

step() { printf '\n# %s\n' "$*" >&3; }

# Prints a command as a user would type it, then runs it.
run() {
  local word line=
  for word in "$@"; do
    case $word in *[[:space:]]*) word="'$word'" ;; esac
    line+="${line:+ }$word"
  done
  line=${line//"$ORDERFILE_RUNTIME"/orderfile_rt.o}
  line=${line//"$ORDERFILE"/orderfile}
  line=${line//"$folder/"/}
  printf '$ %s\n' "$line" >&3
  "$@"
}

# check_order BEFORE AFTER TRACE ORDER: fails unless every entry of ORDER is in AFTER, in the order of ORDER, both
# according to orderfile and according to nm.
check_order() {
  "$ORDERFILE" diff "$1" "$2" --trace "$3" --order "$4" --json >diff.json
  local entries present inOrder
  entries=$(json_number entries); present=$(json_number present); inOrder=$(json_number inOrder)
  [[ $entries -gt 1 && $present == "$entries" && $inOrder == "$entries" ]] ||
    { echo "$2: of $entries entries $present are present and $inOrder in order" >&2; exit 1; }
  grep -v '^#' "$4" >names
  # A name that several local functions share has no single address.
  nm "$2" | awk '{ count[$3]++; address[$3] = $1 }
    END { while ((getline name < "names") > 0) if (count[name] == 1) print address[name] }' >addresses
  [[ $(wc -l <addresses) -ge $((entries / 2)) ]] ||
    { echo "$2: nm knows only $(wc -l <addresses) of $entries entries" >&2; exit 1; }
  LC_ALL=C sort -c addresses || { echo "$2: nm: the functions are not in the recorded order" >&2; exit 1; }
  printf '\n%s: all %s entries of %s are there and in order\n' "$2" "$entries" "$4"
}

json_number() { sed -n -E "s/.*\"$1\": *([0-9]+).*/\1/p" diff.json; }
