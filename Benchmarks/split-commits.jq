# The launch of split-commits: a bit of each part of jq.
def total(f): reduce .[] as $each (0; . + ($each | f));
.packages as $packages
| [
    ($packages | map(select(.size > 10)) | sort_by(.name) | map(.name) | join(", ")),
    ($packages | group_by(.kind) | map({key: .[0].kind, value: total(.size)}) | from_entries),
    ($packages | to_entries[] | "\(.key): \(.value.name | ascii_upcase | @base64 | @json)"),
    [paths(type == "number")] == [paths | select(.[-1] == "size")],
    (try error("problem") catch .),
    ([limit(5; range(1; 100; 7))] | add / length | floor),
    ($packages[0].date | fromdateiso8601 | todate),
    (.packages[1:] |= map(del(.date)) | tojson | fromjson | .packages | unique_by(.kind) | length),
    (12345678901234567890123 | tostring | ltrimstr("1")),
    ("the quick brown fox" | split(" ") | @csv, @sh, @html)
  ]
