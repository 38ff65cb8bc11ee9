"""Runs the steps of a composite action as GitHub's runner does: a shell for each, with the files that a step writes its
outputs, summary and paths to.

usage: run-action.py action.yml folder [input=value...] [github.name=value...]

Prints the exit status of the last step that ran, the log, the outputs, the summary, and the actions that would be used.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

from ruamel.yaml import YAML

path, folder = sys.argv[1:3]
with open(path) as file:
    action = YAML(typ="safe").load(file)
given = dict(word.split("=", 1) for word in sys.argv[3:])
github = {name: given.pop(name) for name in list(given) if name.startswith("github.")}
assert not given.keys() - action["inputs"].keys(), "an input that the action does not have"
inputs = {name: given.get(name, item.get("default", "")) for name, item in action["inputs"].items()}
context = {"inputs." + name: value for name, value in inputs.items()}
context |= {"github.action_repository": "owner/orderfile"} | github
steps = {}


def value(term):
    """Of an expression without operators."""
    term = term.strip()
    if term.startswith("'"):
        return term[1:-1]
    if term in context:
        return context[term]
    found = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", term)
    assert found, f"unknown: {term}"
    return steps.get(found[1], {}).get(found[2], "")


def expand(text):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: value(found[1]), str(text))


def holds(condition):
    """Of a condition with always(), comparisons, &&, || and parentheses."""
    condition = re.sub(r"[\w.-]+(?:\(\))?\s*(?:[!=]=\s*'[^']*')?", term, condition)
    return eval(condition.replace("&&", " and ").replace("||", " or "))  # only True and False are left


def term(found):
    text = found[0].strip()
    if text == "always()":
        return "True"
    left, operator, right = re.fullmatch(r"(\S+)\s*([!=]=)\s*('[^']*')", text).groups()
    return str((value(left) == value(right)) == (operator == "=="))


temporary = tempfile.mkdtemp(dir=os.path.dirname(os.path.abspath(folder)))
environment = dict(os.environ, GITHUB_ACTION_PATH=os.path.dirname(path), GITHUB_SERVER_URL="https://github.invalid")
environment |= {"RUNNER_TEMP": temporary, "CI": "true"}
files = {name: os.path.join(temporary, name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
environment |= files
status, log, summary, uploads = 0, "", "", []
for step in action["runs"]["steps"]:
    condition = step.get("if", "success()")
    if status and "always()" not in condition:
        continue
    if condition != "success()" and not holds(condition):
        continue
    if "uses" in step:
        uploads.append(step["uses"])
        continue
    for name in files.values():
        open(name, "w").close()
    own = environment | {name: expand(text) for name, text in step.get("env", {}).items()}
    # The runner's own call of bash.
    script = os.path.join(temporary, "step.sh")
    with open(script, "w") as file:
        file.write(expand(step["run"]))
    assert step["shell"] == "bash"
    run = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
        cwd=os.path.join(folder, expand(step.get("working-directory", "."))),
        env=own,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    status, log = run.returncode, log + run.stdout
    summary += open(files["GITHUB_STEP_SUMMARY"]).read()
    lines = open(files["GITHUB_OUTPUT"]).read().splitlines()
    steps[step.get("id", step["name"])] = dict(line.split("=", 1) for line in lines)
    for line in open(files["GITHUB_PATH"]).read().splitlines():
        environment["PATH"] = line + ":" + environment["PATH"]

outputs = {name: expand(item["value"]) for name, item in action["outputs"].items()}
json.dump({"status": status, "log": log, "summary": summary, "outputs": outputs, "uploads": uploads}, sys.stdout)
