#!/bin/bash
# Installs the Python packages with which integrations compare, into .build/python; what Fleet/ runs on, into .build/fleet;
# or the linters of Scripts/lint.sh, into .build/lint.
# usage: python-packages.sh [fleet | lint]
set -euo pipefail
cd "$(dirname "$0")/.."

# Change points; and what it computes with.
packages=(apache-otava==0.8.0 numpy==2.2.0 scipy==1.16.3)
packages+=(perfetto==0.59.1 protobuf==7.36.2 duckdb==2.0.0)  # readers of exports
packages+=(prometheus-client==0.26.0)  # a strict parser of OpenMetrics
# Readers of reports: JUnit XML, SARIF; and the schemas of GitHub's files, with what they import.
packages+=(junitparser==5.0.3)
packages+=(sarif-pydantic==0.6.1 pydantic==2.14.3 pydantic-core==2.50.4 typing-inspection==0.4.5 annotated-types==0.8.0)
packages+=(check-jsonschema==0.39.0 jsonschema==4.26.0 jsonschema-specifications==2025.9.1 referencing==0.37.0)
packages+=(rpds-py==2026.9.1 attrs==26.1.0 regress==2026.9.1 requests==2.34.2)
packages+=(urllib3==2.8.0 idna==3.20 certifi==2026.10.18 charset-normalizer==3.5.2)
packages+=(ruamel.yaml==0.19.1 click==8.5.1 typing-extensions==4.16.0)
packages+=(cmake==4.4.5)  # CMAKE_LINKER_TYPE, which CMake has since 3.29
folder=.build/python
if [[ "${1-}" == fleet ]]; then
  folder=.build/fleet
  packages=(pyspark==4.3.0 py4j==0.10.9.9 pyarrow==26.0.1)
elif [[ "${1-}" == lint ]]; then
  folder=.build/lint
  packages=(ruff==0.17.6 oxlint==1.89.0)
fi
stamp=$folder/$(cksum <Scripts/python-packages.sh | cut -d' ' -f1)
[[ -e $stamp ]] && exit 0

echo "fetching ${packages[*]} from PyPI" >&2
rm -rf "$folder"
mkdir -p "$folder"
log=$folder/log
python3 -m pip -q install --no-deps --target "$folder" "${packages[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
if [[ -n "${1-}" ]]; then
  touch "$stamp"
  exit 0
fi
# Only its source has the schema of JUnit XML that Jenkins' xUnit plugin has.
python3 -m pip -q download --no-deps --no-binary pytest --dest "$folder" pytest==8.4.2 >>"$log" 2>&1 || { cat "$log" >&2; exit 1; }
tar -xzOf "$folder/pytest-8.4.2.tar.gz" pytest-8.4.2/testing/example_scripts/junit-10.xsd >"$folder/junit-10.xsd"
touch "$stamp"
