"""Validates documents by the schemas in docs/schemas: validate-documents.py SCHEMAS DOCUMENT...

A document is an object in a file, or on each line of a file that ends in .jsonl. Prints a line for each error; with
--print-names, the name of each schema that a document had.
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

arguments = [word for word in sys.argv[1:] if word != "--print-names"]
folder = pathlib.Path(arguments[0])
schemas = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
for schema in schemas.values():
    Draft202012Validator.check_schema(schema)
registry = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in schemas.items())
# The reference by name makes the name the base of the references in the schema.
validators = {name: Draft202012Validator({"$ref": name}, registry=registry) for name in schemas}

names = set()
failed = False
for path in arguments[1:]:
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for document in map(json.loads, text.splitlines() if path.endswith(".jsonl") else [text]):
        name = document["schema"].removeprefix("orderfile.").split("/")[0] + ".json"
        names.add(name)
        if name not in validators:
            print(f"{path}: no schema {name}")
            failed = True
            continue
        for error in validators[name].iter_errors(document):
            print(f"{path}: {error.json_path}: {error.message[:200]}")
            failed = True
if "--print-names" in sys.argv:
    print("\n".join(sorted(names)))
sys.exit(failed)
