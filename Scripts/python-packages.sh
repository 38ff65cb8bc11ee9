#!/bin/bash
# Installs the Python packages with which integrations compare, into .build/python.
# usage: python-packages.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# Change points; and what it computes with.
packages=(apache-otava==0.8.0 numpy==2.2.0 scipy==1.16.3)
packages+=(prometheus-client==0.26.0)  # a strict parser of OpenMetrics
folder=.build/python
stamp=$folder/$(cksum <Scripts/python-packages.sh | cut -d' ' -f1)
[[ -e $stamp ]] && exit 0

echo "fetching ${packages[*]} from PyPI" >&2
rm -rf "$folder"
mkdir -p "$folder"
log=$folder/log
python3 -m pip -q install --no-deps --target "$folder" "${packages[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
touch "$stamp"
