"""Starts InfluxDB on ports of its own, writes a file to it, and runs a dashboard's variables and panels as Grafana does.

usage: influx.py LINES DASHBOARD FOLDER
It prints a JSON object: all points by measurement, and the number of points for each query.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

lines, dashboard, folder = sys.argv[1:]


def free():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


http, rpc = free(), free()
config = os.path.join(folder, "influxdb.conf")
with open(config, "w") as file:
    file.write(f'''reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
[http]
  bind-address = "127.0.0.1:{http}"
  log-enabled = false
''')


def call(path, data=None, **query):
    url = f"http://127.0.0.1:{http}/{path}?{urllib.parse.urlencode(query)}"
    try:
        return urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=60).read()
    except urllib.error.HTTPError as error:
        sys.exit(f"{path} {query}: {error.read().decode()}")


def ask(query):
    result = json.loads(call("query", db="launches", q=query))["results"][0]
    if "error" in result:
        sys.exit(f"{query}: {result['error']}")
    return result.get("series", [])


log = os.path.join(folder, "influxd.log")
server = subprocess.Popen(["influxd", "-config", config], stdout=open(log, "w"), stderr=subprocess.STDOUT)
try:
    while True:
        if server.poll() is not None:
            sys.exit(open(log).read())
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{http}/ping", timeout=60)
            break
        except urllib.error.URLError:
            time.sleep(0.05)
    call("query", b"", q="CREATE DATABASE launches")
    call("write", open(lines, "rb").read(), db="launches")
    points = {}
    for series in ask("SELECT * FROM /.*/"):
        points[series["name"]] = [dict(zip(series["columns"], row)) for row in series["values"]]
    board = json.load(open(dashboard))
    counts = {}
    for variable in board["templating"]["list"]:
        values = sum(len(series["values"]) for series in ask(variable["query"]))
        counts["$" + variable["name"]] = values
    for panel in board["panels"]:
        for target in panel["targets"]:
            query = target["query"].replace("$timeFilter", "time >= 1600000000s AND time <= 1800000000s")
            for variable in board["templating"]["list"]:
                query = query.replace("$" + variable["name"] + "$", variable["allValue"] + "$")
            if re.search(r"\$(?!/)", query):
                sys.exit("not replaced: " + query)
            counts[panel["title"] + " " + target["refId"]] = sum(len(series["values"]) for series in ask(query))
    json.dump({"points": points, "counts": counts}, sys.stdout)
finally:
    server.terminate()
    server.wait()
