#!/usr/bin/env python3
"""Folds launches that `orderfile export parquet` wrote into the profile that `orderfile merge` makes of their traces.

A profile is made of sums, minima, maxima, unions, and of the 100 launches with the smallest hashes (docs/MERGE.md). All of
them are associative and commutative, so Spark may compute them of any parts in any order, and again of those that a lost
machine had. What is left for the driver grows with the functions of the program, not with the launches: it sorts the
groups and writes the bytes. Executors run no Python.

Bucket floor(8 * log2(n)) of a histogram is computed in floating point: of all n below 2^32, those that are no powers of
two are at least 9e-11 away from a bound, which is far more than the error, and 1e-12 keeps the powers above theirs.

usage: spark-submit fold.py [--partitions N] -o PROFILE TABLE...         docs/FLEET.md has the columns of the tables
"""
import argparse, os, sys
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession, functions as F, types as T
from profile_format import profile

VERSION = 1
COLUMNS = """
    version INT, weight BIGINT, hash STRING, end STRING, lostRecords BIGINT, inFlightRecords BIGINT, unattributedHits BIGINT,
    workload STRUCT<launch: STRING, commandLine: STRING, inputs: STRING>,
    images ARRAY<STRUCT<key: STRING, path: STRING, machine: BIGINT, methods: BIGINT, isProgram: BOOLEAN, isUsed: BOOLEAN,
        textStart: BIGINT, textSize: BIGINT, guards: BIGINT, blockCount: BIGINT, hasExecutedRuns: BOOLEAN,
        unnamedHits: BIGINT, addresses: ARRAY<BIGINT>, nanoseconds: ARRAY<BIGINT>,
        blocks: ARRAY<ARRAY<STRUCT<offset: BIGINT, size: BIGINT>>>,
        functions: ARRAY<STRUCT<address: BIGINT, size: BIGINT, names: ARRAY<BINARY>, objectFile: BINARY>>>>"""
ENDS = ["exit", "stopped by call", "stopped by mark", "stopped by time", "stopped by function", "stopped when ready"]
KEPT, MOST_LAUNCHES = 100, 1 << 48  # of launches, and of workloads


def missing(wanted, found, path=""):
    """The columns of type `wanted` that a table of type `found` has not, or with another type."""
    if isinstance(wanted, T.ArrayType) and isinstance(found, T.ArrayType):
        return missing(wanted.elementType, found.elementType, path)
    if not (isinstance(wanted, T.StructType) and isinstance(found, T.StructType)):
        return [] if wanted == found else [path]
    known = {field.name: field.dataType for field in found}
    return [name for field in wanted for name in missing(field.dataType, known.get(field.name), f"{path}.{field.name}".strip("."))]


def checked(table):
    versions = table.agg(F.min("version"), F.max("version"), F.count_if(F.isnull("version"))).first() if "version" in table.columns else None
    if versions and versions[1] and versions[1] > VERSION:
        sys.exit(f"fold.py: error: unsupported table: found version {versions[1]}, this job reads {VERSION}")
    if lost := missing(T.StructType.fromDDL(COLUMNS), table.schema):
        sys.exit(f"fold.py: error: invalid table: missing or of another type: {', '.join(lost)}")
    if versions[:3] != (VERSION, VERSION, 0):
        sys.exit(f"fold.py: error: invalid table: expected rows of version {VERSION}")
    return table


def folded(table):
    """The parts of the profile, each as rows in the order of the file."""
    def total(condition):  # the launches for which it holds
        return F.sum(F.when(condition, F.col("weight")).otherwise(0))
    def hits(column):  # as decimals, which do not overflow
        return F.sum(F.col(column).cast("decimal(19)") * F.col("weight").cast("decimal(15)"))
    def bucket(position):
        return F.floor(8 * F.log2(position + 1) + 1e-12).cast("int")
    used = F.aggregate("images", F.lit(0), lambda sum, image: sum + F.size(image["addresses"]))
    launches = table.withColumn("used", used)
    counts = launches.agg(
        F.sum("weight"), total(F.col("used") == 0), total(F.col("lostRecords") > 0), hits("lostRecords"),
        total(F.col("inFlightRecords") > 0), hits("inFlightRecords"), hits("unattributedHits"),
        *(total(F.col("end") == end) for end in ENDS)).first()
    sizes = launches.groupBy(bucket(F.col("used")).alias("bucket")).agg(F.sum("weight")).orderBy("bucket").collect()
    images = table.select("weight", F.inline("images"))
    builds = images.groupBy("key").agg(
        F.min(F.struct(F.octet_length("path"), "path"))["path"].alias("path"), F.max("machine").alias("machine"),
        F.bit_or("methods").alias("methods"), total(F.col("isUsed")).alias("launches"),
        total(F.col("isProgram")).alias("programs"), F.max(F.struct("textStart", "textSize")).alias("text"),
        F.max("guards").alias("guards"), F.max("blockCount").alias("blocks"),
        F.max("hasExecutedRuns").alias("runs"), hits("unnamedHits").alias("unnamed")).orderBy("key").collect()
    uses = images.select("key", "weight", "blocks", "nanoseconds", F.posexplode("addresses").alias("position", "address"))
    positions = uses.groupBy("key", "address", bucket(F.col("position")).alias("bucket")).agg(
        F.sum("weight").alias("count"), F.min(F.get("nanoseconds", F.col("position"))).alias("time"))
    names = images.select("key", F.inline("functions")).distinct().groupBy("key", "address").agg(
        F.max("size").alias("size"), F.min("objectFile").alias("file"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_list("names")))).alias("names"))
    functions = positions.groupBy("key", "address").agg(
        F.sum("count").alias("support"), F.min("time").alias("time"),
        F.array_sort(F.collect_list(F.struct("bucket", "count"))).alias("histogram")).join(
            names, ["key", "address"], "left").orderBy("key", "address").collect()
    ran = uses.where(F.size("blocks") > 0).select(
        "key", "address", "weight", F.inline(F.get("blocks", F.col("position"))))
    blocks = ran.groupBy("key", "address", "offset", "size").agg(F.sum("weight").alias("support")).orderBy(
        "key", "address", "offset", "size").collect()
    kept = table.where("hash IS NOT NULL").groupBy("hash").agg(F.sum("weight").alias("weight")).orderBy("hash").limit(KEPT).collect()
    content = F.expr("""transform(filter(images, i -> size(i.addresses) > 0), i -> struct(length(i.key), i.key,
        size(i.addresses), transform(i.addresses, (a, n) -> struct(a AS address,
            size(coalesce(get(i.blocks, n), array())), coalesce(get(i.blocks, n), array()) AS blocks)) AS uses))""")
    whole = table.where(F.col("hash").isin([row.hash for row in kept])).groupBy("hash").agg(F.min(content).alias("parts")).collect()
    workloads = table.where("workload IS NOT NULL").select("workload.*").distinct().orderBy(
        "launch", "commandLine", F.asc_nulls_first("inputs")).limit(KEPT).collect()
    return counts, sizes, builds, functions, blocks, kept, {row.hash: row.parts for row in whole}, workloads


def main():
    parser = argparse.ArgumentParser(prog="fold.py", description="Fold launches from `orderfile export parquet` into a profile.")
    parser.add_argument("tables", nargs="+", metavar="TABLE", help="Parquet files, and folders of them")
    parser.add_argument("-o", "--output", required=True, metavar="PROFILE", help="the profile to write")
    parser.add_argument("--partitions", type=int, metavar="N", help="into how many parts the launches are divided (default: Spark's)")
    arguments = parser.parse_args()
    spark = SparkSession.builder.appName("orderfile-fold").getOrCreate()
    try:
        table = spark.read.parquet(*arguments.tables)
    except AnalysisException as error:
        sys.exit(f"fold.py: error: unable to read: {error.getMessage()}")
    table = checked(table)
    if arguments.partitions:
        spark.conf.set("spark.sql.shuffle.partitions", arguments.partitions)
        table = table.repartition(arguments.partitions)
    counts, sizes, images, functions, *rest = folded(table)
    machines = sorted({image.machine for image in images} - {0})
    if len(machines) > 1: sys.exit(f"fold.py: error: machine mismatch: expected launches on one, found machines {machines}")
    if counts[0] > MOST_LAUNCHES: sys.exit(f"fold.py: error: too many launches: expected at most {MOST_LAUNCHES} with their weights")
    if not functions: sys.exit("fold.py: error: nothing was recorded")
    if any(function.names is None for function in functions):
        sys.exit("fold.py: error: invalid table: rows were left out, which describe functions of others")
    temporary = f"{arguments.output}.{os.getpid()}"
    with open(temporary, "wb") as file: file.write(profile(counts, sizes, images, functions, *rest))
    os.replace(temporary, arguments.output)


if __name__ == "__main__":
    main()
