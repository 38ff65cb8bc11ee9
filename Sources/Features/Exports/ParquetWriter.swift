import ByteReading
import CommandSupport
import ImageModel
import ProcessLaunch
import Rendering

/// Writes Parquet files with Python's package pyarrow, because no maintained package for Swift writes them.
/// <https://arrow.apache.org/docs/python/parquet.html>
struct ParquetWriter {
  private let python: String

  /// - Throws: if Python or its package is missing, so that no work is done in vain.
  init(_ environment: LaunchEnvironment) throws(Diagnostic) {
    guard environment.has("python3") else {
      throw Diagnostic(
        "unable to write Parquet: python3 is not installed",
        hint: "install Python 3, then 'python3 -m pip install pyarrow'")
    }
    python = try environment.program(named: "python3")
    let folder = try TemporaryFolder(in: environment)
    guard try run("import pyarrow.parquet", [], in: folder) == nil else {
      throw Diagnostic(
        "unable to write Parquet: \(python) has no package pyarrow",
        hint: "python3 -m pip install pyarrow")
    }
  }

  /// Returns the table with the rows in the file at `path`, which has a JSON object on each line.
  func table(ofLinesIn path: String, in folder: TemporaryFolder) throws(Diagnostic) -> FileBytes {
    let table = folder.path("launches.parquet")
    if let reason = try run(Self.script, [table], input: path, in: folder) {
      throw Diagnostic("unable to write Parquet: \(reason)")
    }
    // The table's file is read here, before the temporary folder with the file is removed.
    let bytes = try InputFile.bytes(table)
    return FileBytes(bytes.copy(0..<bytes.count))
  }

  /// - Returns: why the script failed; `nil` if it succeeded.
  private func run(
    _ script: String, _ arguments: [String], input: String? = nil, in folder: TemporaryFolder
  ) throws(Diagnostic) -> String? {
    let log = ProgramLog(folder.path("messages"))
    var launch = ProgramLaunch(
      command: [python, "-c", script] + arguments, environment: [("LC_ALL", "C.UTF-8")])
    do {
      let end = try log.streams(input: input) { streams in
        launch.streams = streams
        return try launch.run().end
      }
      guard end != .exited(0) else { return nil }
      return log.text.split(separator: "\n").last.map(String.init) ?? "\(end)"
    } catch let error as Diagnostic { throw error } catch { return "\(error)" }
  }

  /// A row group has a thousand launches. Several processes can read a table together, each its own row groups. Names
  /// are bytes, which the lines of JSON hold as characters.
  private static let script = """
    import itertools, json, sys
    import pyarrow as pa, pyarrow.parquet as pq

    def record(**columns):
        return pa.struct(list(columns.items()))
    text, number, flag = pa.string(), pa.int64(), pa.bool_()
    function = record(address=number, size=number, names=pa.list_(pa.binary()), objectFile=pa.binary())
    part = record(
        addresses=pa.list_(number), nanoseconds=pa.list_(number),
        blocks=pa.list_(pa.list_(record(offset=number, size=number))), described=pa.list_(function))
    image = record(
        key=text, path=text, machine=number, methods=number, isProgram=flag, isUsed=flag, textStart=number,
        textSize=number, guards=number, blockCount=number, hasExecutedRuns=flag, unnamedHits=number, code=part, data=part)
    schema = pa.schema(record(
        version=pa.int32(), trace=text, weight=number, hash=text, end=text, lostRecords=number,
        inFlightRecords=number, unattributedHits=number,
        workload=record(launch=text, commandLine=text, inputs=text), images=pa.list_(image)))

    def row(line):
        row = json.loads(line)
        for image in row["images"]:
            for function in image["code"]["described"] + image["data"]["described"]:
                function["names"] = [name.encode("latin-1") for name in function["names"]]
                file = function["objectFile"]
                function["objectFile"] = file if file is None else file.encode("latin-1")
        return row

    lines = open(0, encoding="utf-8")
    with pq.ParquetWriter(sys.argv[1], schema, compression="zstd") as table:
        while rows := [row(line) for line in itertools.islice(lines, 1000)]:
            table.write_table(pa.Table.from_pylist(rows, schema))

    """
}
