#!/usr/bin/env python3
"""Folds launches that `orderfile export parquet` wrote into the profile that `orderfile merge` makes of their traces.

A profile consists of sums, minima, maxima, unions, and the 100 launches with the smallest hashes
(docs/how-to/MERGE.md). So Spark may fold any parts in any order, and may fold the parts of a lost machine again. The
driver's work grows with the number of functions and data of the program, not with the number of launches. Executors run
no Python.
"""

import argparse
import os
import sys
from types import SimpleNamespace
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from profile_format import CODE, DATA, ENDS, profile

# Floating point is exact enough: unless n is a power of two, 8 * log2(n) is at least 9e-11 away from whole numbers. For
# powers of two, 1e-12 is added.
BUCKET = "int(8 * log2({} + 1) + 1e-12)"
TOTAL = "sum(if({}, weight, 0))"
HITS = "sum(1BD * weight * {})"  # decimals, which do not overflow
VIEWS = {
    "launches": f"SELECT *, {BUCKET.format('size(flatten(images.code.addresses))')} AS bucket FROM rows",
    "images": "SELECT weight, inline(images) FROM rows",
    "parts": f"SELECT weight, stack(2, '{CODE}' || key, code, '{DATA}' || key, data) AS (key, part) FROM images",
    "uses": f"""SELECT weight, key, use.addresses AS address, use.nanoseconds AS time, use.blocks, {BUCKET.format("position")} AS bucket
        FROM parts LATERAL VIEW posexplode(arrays_zip(part.addresses, part.nanoseconds, part.blocks)) AS position, use""",
    "smallest": "SELECT DISTINCT hash FROM rows WHERE hash IS NOT NULL ORDER BY hash LIMIT 100",
}
TABLES = {
    "launches": f"""SELECT bucket, sum(weight), {TOTAL.format("hash IS NULL")},
        {TOTAL.format("lostRecords > 0")}, {HITS.format("lostRecords")}, {TOTAL.format("inFlightRecords > 0")},
        {HITS.format("inFlightRecords")}, {HITS.format("unattributedHits")},
        {", ".join(TOTAL.format(f"end = '{end}'") for end in ENDS)} FROM launches GROUP BY bucket""",
    "images": f"""SELECT key, min(struct(octet_length(path), path)).path AS path, max(machine) AS machine,
        collect_set(machine) AS machines, bit_or(methods) AS methods, {TOTAL.format("isUsed")} AS launches, {TOTAL.format("isProgram")} AS programs,
        {TOTAL.format("size(data.addresses) > 0")} AS touches, max(struct(textStart, textSize)) AS text, max(guards) AS guards,
        max(blockCount) AS blocks, max(hasExecutedRuns) AS runs, {HITS.format("unnamedHits")} AS unnamed FROM images GROUP BY key""",
    "functions": """SELECT key, address, sum(count) AS launches, min(time) AS time,
        array_sort(collect_list(struct(bucket, count))) AS histogram
        FROM (SELECT key, address, bucket, sum(weight) AS count, min(time) AS time FROM uses GROUP BY key, address, bucket)
        GROUP BY key, address""",
    "names": """SELECT key, address, max(size) AS size, min(objectFile) AS file,
        array_sort(array_distinct(flatten(collect_set(names)))) AS names
        FROM (SELECT key, inline(part.described) FROM parts) GROUP BY key, address""",
    "blocks": """SELECT key, address, offset, size, sum(weight) AS launches
        FROM (SELECT weight, key, address, inline(blocks) FROM uses) GROUP BY key, address, offset, size""",
    "whole": """SELECT hash, sum(weight) AS weight, any_value(transform(images, i -> struct(i.key,
        i.code.addresses AS code, i.code.blocks, i.data.addresses AS data))) AS images
        FROM rows WHERE hash <= (SELECT max(hash) FROM smallest) GROUP BY hash""",
    "workloads": "SELECT DISTINCT workload.* FROM rows WHERE workload IS NOT NULL ORDER BY ALL LIMIT 100",
}


def main(words=None):
    parser = argparse.ArgumentParser(
        description="Fold launches from `orderfile export parquet` into a profile (docs/how-to/FLEET.md)."
    )
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="Parquet files, and folders of them")
    parser.add_argument("-o", "--output", required=True, metavar="PROFILE", help="the profile to write")
    parser.add_argument(
        "--partitions", type=int, metavar="N", help="into how many parts the launches are divided (default: Spark's)"
    )
    arguments = parser.parse_args(words)
    spark = SparkSession.builder.appName("orderfile-fold").getOrCreate()
    try:
        rows = spark.read.parquet(*arguments.tables)
        if other := rows.where("version IS DISTINCT FROM 2").select("version").first():
            raise ValueError(f"unsupported table: found version {other.version}, this job reads 2")
        if arguments.partitions:
            spark.conf.set("spark.sql.shuffle.partitions", arguments.partitions)
            rows = rows.repartition(arguments.partitions)
        rows.createOrReplaceTempView("rows")
        for name, query in VIEWS.items():
            spark.sql(query).createOrReplaceTempView(name)
        content = profile(SimpleNamespace(**{name: spark.sql(query).collect() for name, query in TABLES.items()}))
    except (AnalysisException, ValueError) as error:
        sys.exit(f"fold.py: error: {str(error).splitlines()[0]}")
    temporary = f"{arguments.output}.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(content)
    os.replace(temporary, arguments.output)


if __name__ == "__main__":
    main()
