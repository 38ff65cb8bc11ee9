#!/usr/bin/env python3
"""Folds launches that `orderfile export parquet` wrote into the profile that `orderfile merge` makes of their traces.

A profile is made of sums, minima, maxima, unions, and of the 100 launches with the smallest hashes (docs/MERGE.md). So
Spark may compute it of any parts in any order, and again of those that a lost machine had. What is left for the driver
grows with the functions of the program, not with the launches. Executors run no Python.

usage: spark-submit fold.py [--partitions N] -o PROFILE TABLE...         docs/FLEET.md has the columns of the tables
"""
import argparse, os, sys
from types import SimpleNamespace
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from profile_format import ENDS, profile

# Floating point will do: 8 * log2(n) is at least 9e-11 away from whole numbers, unless n is a power of two; 1e-12 is for these.
BUCKET = "int(8 * log2({} + 1) + 1e-12)"
TOTAL = "sum(if({}, weight, 0))"
HITS = "sum(1BD * weight * {})"  # decimals, which do not overflow
VIEWS = {
    "launches": f"SELECT *, {BUCKET.format('size(flatten(images.addresses))')} AS bucket FROM rows",
    "images": "SELECT weight, inline(images) FROM rows",
    "uses": f"""SELECT weight, key, use.addresses AS address, use.nanoseconds AS time, use.blocks, {BUCKET.format("position")} AS bucket
        FROM (SELECT weight, inline(arrays_zip(images.key, images.addresses, images.nanoseconds, images.blocks)) FROM rows)
        LATERAL VIEW posexplode(arrays_zip(addresses, nanoseconds, blocks)) AS position, use""",
    "smallest": "SELECT DISTINCT hash FROM rows WHERE hash IS NOT NULL ORDER BY hash LIMIT 100"}
TABLES = {
    "launches": f"""SELECT bucket, sum(weight), {TOTAL.format("bucket = 0")},
        {TOTAL.format("lostRecords > 0")}, {HITS.format("lostRecords")}, {TOTAL.format("inFlightRecords > 0")},
        {HITS.format("inFlightRecords")}, {HITS.format("unattributedHits")},
        {", ".join(TOTAL.format(f"end = '{end}'") for end in ENDS)} FROM launches GROUP BY bucket""",
    "images": f"""SELECT key, min(struct(octet_length(path), path)).path AS path, max(machine) AS machine,
        collect_set(machine) AS machines, bit_or(methods) AS methods, {TOTAL.format("isUsed")} AS launches, {TOTAL.format("isProgram")} AS programs,
        max(struct(textStart, textSize)) AS text, max(guards) AS guards, max(blockCount) AS blocks,
        max(hasExecutedRuns) AS runs, {HITS.format("unnamedHits")} AS unnamed FROM images GROUP BY key""",
    "functions": """SELECT key, address, sum(count) AS launches, min(time) AS time,
        array_sort(collect_list(struct(bucket, count))) AS histogram
        FROM (SELECT key, address, bucket, sum(weight) AS count, min(time) AS time FROM uses GROUP BY key, address, bucket)
        GROUP BY key, address""",
    "names": """SELECT key, address, max(size) AS size, min(objectFile) AS file,
        array_sort(array_distinct(flatten(collect_set(names)))) AS names
        FROM (SELECT key, inline(functions) FROM images) GROUP BY key, address""",
    "blocks": """SELECT key, address, offset, size, sum(weight) AS launches
        FROM (SELECT weight, key, address, inline(blocks) FROM uses) GROUP BY key, address, offset, size""",
    "whole": """SELECT hash, sum(weight) AS weight, any_value(arrays_zip(images.key, images.addresses, images.blocks)) AS images
        FROM rows WHERE hash <= (SELECT max(hash) FROM smallest) GROUP BY hash""",
    "workloads": "SELECT DISTINCT workload.* FROM rows WHERE workload IS NOT NULL ORDER BY ALL LIMIT 100"}


def folded(arguments):
    """The rows of TABLES."""
    spark = SparkSession.builder.appName("orderfile-fold").getOrCreate()
    rows = spark.read.parquet(*arguments.tables)
    if other := rows.where("version IS DISTINCT FROM 1").select("version").first():
        sys.exit(f"fold.py: error: unsupported table: found version {other.version}, this job reads 1")
    if arguments.partitions:
        spark.conf.set("spark.sql.shuffle.partitions", arguments.partitions)
        rows = rows.repartition(arguments.partitions)
    rows.createOrReplaceTempView("rows")
    for name, query in VIEWS.items(): spark.sql(query).createOrReplaceTempView(name)
    return SimpleNamespace(**{name: spark.sql(query).collect() for name, query in TABLES.items()})


def main(words=None):
    parser = argparse.ArgumentParser(prog="fold.py", description="Fold launches from `orderfile export parquet` into a profile.")
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="Parquet files, and folders of them")
    parser.add_argument("-o", "--output", required=True, metavar="PROFILE", help="the profile to write")
    parser.add_argument("--partitions", type=int, metavar="N", help="into how many parts the launches are divided (default: Spark's)")
    arguments = parser.parse_args(words)
    try:
        content = profile(folded(arguments))
    except (AnalysisException, ValueError) as error:
        sys.exit(f"fold.py: error: {str(error).splitlines()[0]}")
    temporary = f"{arguments.output}.{os.getpid()}"
    with open(temporary, "wb") as file: file.write(content)
    os.replace(temporary, arguments.output)


if __name__ == "__main__": main()
