import TestSupport
import Testing

/// The errors of `orderfile export parquet` that need no Parquet writer.
@Suite(.needs(.processes)) struct ParquetExportTests {
  private static func workshop(python: String) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.writeProgram(python.utf8, "python3")
    var trace = TraceWriter()
    trace.addLoad(TraceWriter.Image())
    trace.addHit(TraceWriter.Image(), guard: 0, entry: 0x1000)
    trace.names = [TraceWriter.Name(address: 0x1000, size: 8, name: "main")]
    try workshop.write(trace.bytes(), "launch")
    try workshop.mustOrderfile("merge", "-q", "launch", "-o", "profile")
    return workshop
  }

  private static func export(_ path: String, in workshop: Workshop) throws -> String {
    let run = try workshop.orderfile(
      "export", "parquet", path, "-o", "table", environment: ["PATH": workshop.folder.path])
    #expect(run.status == 1 && !workshop.fileNames.contains("table"))
    return run.errors
  }

  @Test func withoutPyarrowNothingIsRead() throws {
    let workshop = try Self.workshop(python: "#!/bin/sh\nexit 1\n")
    let errors = try Self.export("nowhere", in: workshop)
    #expect(errors.contains("/python3 has no package pyarrow"))
    #expect(errors.contains("  hint: python3 -m pip install pyarrow"))
  }

  @Test func withoutPythonTheErrorSaysWhatToInstall() throws {
    let workshop = try Self.workshop(python: "")
    let run = try workshop.orderfile(
      "export", "parquet", "launch", "-o", "table", environment: ["PATH": "/nowhere"])
    #expect(run.status == 1 && run.errors.contains("python3 is not installed"))
  }

  @Test func theErrorIsTheLastLineOfTheWriter() throws {
    let workshop = try Self.workshop(
      python:
        "#!/bin/sh\n[ $# = 2 ] && exit\necho Traceback >&2\necho 'ArrowInvalid: no' >&2\nexit 1\n")
    #expect(
      try Self.export("launch", in: workshop).contains("unable to write Parquet: ArrowInvalid: no"))
  }

  @Test func aProfileIsRefusedByName() throws {
    let workshop = try Self.workshop(python: "#!/bin/sh\n")
    #expect(
      try Self.export("profile", in: workshop).contains(
        "profile: expected a trace, found a profile, which does not contain all launches"))
  }
}
