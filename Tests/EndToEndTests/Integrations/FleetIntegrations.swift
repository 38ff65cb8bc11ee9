import Foundation
import TestSupport
import Testing

/// Profiles that Spark folds from exported launches, compared with the profiles that `orderfile merge` makes of the
/// traces.
// Each test states what it needs: the needs of a suite are looked at, too, where all its tests are skipped.
@Suite struct FleetIntegrations {
  /// Launches of a program and its library, some of them incomplete, heavier, repeated, without times, without hits or
  /// with first touches of data.
  private static func launches() throws -> Workshop {
    let workshop = try Workshop()
    var random = SeededRandom(seed: 7)
    for number in 0..<24 {
      try workshop.write(trace(number, &random), "t\(number)")
    }
    let paths = (0..<24).map { $0 == 5 ? "281474976,t5" : "t\($0)" } + ["t3"]
    for (name, list) in [("all", paths[...]), ("monday", paths[..<9]), ("tuesday", paths[9...])] {
      try workshop.write((list.joined(separator: "\n") + "\n").utf8, name)
    }
    try workshop.mustOrderfile("merge", "-q", "@all", "-o", "merged")
    for day in ["monday", "tuesday"] { try export("@\(day)", to: "\(day).parquet", in: workshop) }
    return workshop
  }

  private static func trace(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
    var trace = TraceWriter()
    if number % 4 != 1 {
      trace.ticksPerSecond = 1_000_000_000
      (trace.firstPair, trace.lastPair) = ((1000, 1000), (9_000_000, 9_000_000))
      trace.processStart = 1000
    }
    trace.lostRecords = number == 7 ? 1 << 62 : 0
    let app = TraceWriter.Image()
    // The ID is weak, so the path also identifies the image.
    let library = TraceWriter.Image(
      number: 2, path: "/lib/lib x\(number % 3).so", slide: 0x30_0000,
      guards: 0x40_0000..<0x40_0100, idKind: 3, id: [1, 2])
    trace.addLoad(app)
    trace.addLoad(library)
    trace.names = []
    guard number != 11 else { return trace.bytes() }
    var data: [TraceWriter.Name] = []
    for place in (0..<12).shuffled(using: &random).prefix(number % 3 * 4) {
      let image = place % 4 == 1 ? library : app
      let address = UInt64(0x9000 + place * 8)
      trace.addRecord(kind: 3, subject: image.number, second: 8, entry: address + image.slide)
      guard place % 3 > 0 else { continue }
      let name = "datum \(place)\(number % 5 == 0 ? " alias" : "")"
      data.append(.init(image: UInt32(image.number), address: address, size: 8, name: name))
    }
    let order = (0..<20).shuffled(using: &random).prefix(1 + number % 20)
    for (step, place) in order.enumerated() {
      let image = place % 3 == 0 ? library : app
      let entry = UInt64(0x1000 + place * 0x100)
      trace.addHit(
        image, guard: UInt64(place), entry: entry,
        ticks: UInt64(2000 + step * 1000 + number), thread: 1)
    }
    for place in order.sorted(by: { ($0 % 3 == 0 ? 1 : 0, $0) < ($1 % 3 == 0 ? 1 : 0, $1) }) {
      var name = TraceWriter.Name(
        image: place % 3 == 0 ? 2 : 1, address: UInt64(0x1000 + place * 0x100),
        size: UInt64(number % 2) * 8, name: "")
      // Several builds of tools name a function differently; some names are not UTF-8.
      name.name = Array("function \(place)\(number % 5 == 0 ? ".part" : "")".utf8) + [0xff]
      trace.names?.append(name)
    }
    trace.names?.append(contentsOf: data)
    trace.names?.sort { ($0.image, $0.address) < ($1.image, $1.address) }
    return trace.bytes()
  }

  private static func export(_ traces: String..., to table: String, in workshop: Workshop) throws {
    let run = try workshop.orderfile(
      ["export", "parquet"] + traces + ["-o", table], environment: Spark.environment)
    try #require(run.status == 0, "\(run.errors)")
  }

  /// One application, because most of a short one's time is its start. What the job says of a table ends up in the output.
  private static func fold(
    _ jobs: [[String]], master: String = "local[1]", in workshop: Workshop
  ) throws -> RunningProcess {
    let settings = [
      "spark.ui.enabled=false", "spark.driver.bindAddress=127.0.0.1", "spark.driver.host=127.0.0.1",
      "spark.log.level=INFO", "spark.executor.memory=512m", "spark.sql.shuffle.partitions=1",
      // The JVM compiles without optimization, because the job takes only seconds.
      "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1",
      "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1",
      // These settings make the job wait for both workers.
      "spark.cores.max=2", "spark.scheduler.minRegisteredResourcesRatio=1",
    ]
    let script = """
      import fold
      for words in \(jobs):
          try: fold.main(words)
          except SystemExit as error: print(error, flush=True)
      """
    try workshop.write(script.utf8, "jobs.py")
    return try RunningProcess(
      "\(Spark.home)/bin/spark-submit",
      ["--master", master] + settings.flatMap { ["--conf", $0] } + ["jobs.py"],
      in: workshop.folder, environment: Spark.environment, errors: .withOutput)
  }

  /// The fold of eight parts loses the worker that finished a task of the first eight, with all that it had computed.
  @Test(.needs(.spark)) func aClusterMakesTheProfileOfMergeEvenIfItLosesAWorker() throws {
    let workshop = try Self.launches()
    let merged = try workshop.mustOrderfile("show", "merged", "--json").json
    // The data are nine of the program, and three of the library under each of two paths.
    #expect((merged["data"] as? [Any])?.count == 15)
    let cluster = try SparkCluster(in: workshop)
    let jobs = [1, 3, 8].map {
      ["--partitions", "\($0)", "-o", "folded\($0)", "monday.parquet", "tuesday.parquet"]
    }
    let job = try Self.fold(jobs, master: cluster.master, in: workshop)
    try job.wait(for: "one of eight tasks") { job.output.contains(Self.firstOfEight) }
    #expect(!job.output.contains("Lost executor"))
    let executor = try #require(job.output.firstMatch(of: Self.firstOfEight)?.1)
    try cluster.killWorker(ofExecutor: executor, of: job)
    let run = job.end()
    try #require(run.status == 0, "\(run.text.suffix(8000))")
    #expect(run.text.contains("Lost executor"))
    for parts in [1, 3, 8] {
      #expect(workshop.bytes("folded\(parts)") == workshop.bytes("merged"), "\(parts)")
    }
  }

  /// The line of a log about the first of eight tasks, with the number of the executor.
  private static var firstOfEight: Regex<(Substring, Substring)> {
    /Finished task .* \(executor ([0-9]+)\) \(1\/8\)/
  }

  /// The table has what `merge` folds: functions that too few of all devices ran are in neither.
  @Test(.needs(.spark, .recording)) func payloadsOfTenThousandDevicesAreFoldedToTheBytesOfMerge()
    throws
  {
    let program = try FieldProgram()
    let workshop = program.workshop
    try workshop.write(program.payloads(devices: 10_000, seed: 4).flatMap { $0 }, "payloads")
    let least = ["--min-devices", "400", "--recorded", "app"]
    try workshop.mustOrderfile(["merge", "payloads", "-o", "merged"] + least)
    let run = try workshop.orderfile(
      ["export", "parquet", "payloads", "-o", "all.parquet"] + least,
      environment: Spark.environment)
    try #require(run.status == 0, "\(run.errors)")
    let merged = try workshop.mustOrderfile("show", "merged", "--json").json
    // The last three functions ran on about thirty devices each.
    #expect(merged["launches"] as? Int == 10_000)
    #expect((merged["functions"] as? [Any])?.count == 58)
    let jobs = [1, 3].map { ["--partitions", "\($0)", "-o", "folded\($0)", "all.parquet"] }
    let job = try Self.fold(jobs, in: workshop).end()
    try #require(job.status == 0, "\(job.text.suffix(8000))")
    for parts in [1, 3] {
      #expect(workshop.bytes("folded\(parts)") == workshop.bytes("merged"), "\(parts)")
    }
  }

  /// Changes of a table, as statements of Python, each with the error of the job.
  private static let changes = [
    (
      "table = table.drop_columns('weight')",
      "name `weight` cannot be resolved"
    ),
    (
      """
      rows = table.to_pylist()
      for row in rows:
          for image in row["images"]: del image["code"]["nanoseconds"], image["data"]["nanoseconds"]
      table = pa.Table.from_pylist(rows)
      """, "nanoseconds"
    ),
    (
      "table = table.set_column(0, 'version', pa.array([1] * len(table), pa.int32())).drop_columns('images')",
      "unsupported table: found version 1, this job reads 2"
    ),
    (
      """
      rows = table.to_pylist()
      for row in rows:
          for image in row["images"]: image["data"]["described"] = []
      table = pa.Table.from_pylist(rows, schema=table.schema)
      """,
      "invalid table: rows were left out, which describe functions of others"
    ),
    (
      """
      rows = table.to_pylist()
      rows[0]["images"][0]["machine"] = 183
      table = pa.Table.from_pylist(rows, schema=table.schema)
      """, "machine mismatch: expected launches on one"
    ),
  ]

  @Test(.needs(.spark)) func tablesThatAreNotWholeAreRefused() throws {
    let workshop = try Self.launches()
    var script = "import pyarrow as pa, pyarrow.parquet as pq\n"
    for (number, (change, _)) in Self.changes.enumerated() {
      script += """
        table = pq.read_table("monday.parquet")
        \(change)
        pq.write_table(table, "table\(number)", compression="zstd")

        """
    }
    let python = try workshop.start("python3", ["-c", script], environment: Spark.environment).end()
    try #require(python.status == 0, "\(python.errors)")
    let jobs = Self.changes.indices.map { ["-o", "folded", "table\($0)"] }
    let run = try Self.fold(jobs, in: workshop).end()
    let said = run.text.split(separator: "\n").filter { $0.hasPrefix("fold.py: error: ") }
    try #require(said.count == jobs.count, "\(run.text.suffix(4000))")
    for (line, (_, reason)) in zip(said, Self.changes) { #expect(line.contains(reason)) }
    #expect(!workshop.fileNames.contains { $0.hasPrefix("folded") })
  }

  @Test(.needs(.spark, .recording, "clang-19")) func recordedBlocksAndWorkloadsAreFoldedToo() throws
  {
    let workshop = try BlockTests.workshop(BlockTests.branching)
    for (number, arguments) in [[], ["x"], ["x", "y"], ["1", "2", "3", "4"]].enumerated() {
      try workshop.must(
        Built.orderfile,
        ["record", "--breakpoints", "--blocks", "-o", "t\(number)"]
          + (number % 2 == 0 ? [] : ["--reads", "main.c"]) + ["--", "./app"] + arguments)
    }
    try workshop.mustOrderfile("merge", "-q", "t0", "t1", "t2", "t3", "-o", "merged")
    try Self.export("t3", "t0", "t2", "t1", to: "all.parquet", in: workshop)
    try Self.export("t0", "t1", "t2", "t3", to: "again.parquet", in: workshop)
    #expect(workshop.bytes("all.parquet") == workshop.bytes("again.parquet"))
    // The job is started as a user starts it.
    let job = try workshop.start(
      "\(Spark.home)/bin/spark-submit",
      [
        "--master", "local[1]", "--conf", "spark.ui.enabled=false",
        projectFolder.appendingPathComponent("Fleet/fold.py").path, "--partitions", "2", "-o",
        "folded", "all.parquet",
      ], environment: Spark.environment)
    let run = job.end()
    try #require(run.status == 0, "\(run.errors.suffix(8000))")
    #expect(workshop.bytes("folded") == workshop.bytes("merged"))
  }
}
