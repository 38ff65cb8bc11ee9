import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import TraceFormat
import TraceSymbolication

/// A trace in the state in which a process left its file.
struct Recording {
  /// The present path of the trace.
  let path: String
  /// What the recorder appended to the path: nothing for the first process, else `.<pid>`.
  let suffix: String
  let file: TraceFile
  let trace: Trace

  /// Seals the trace and moves it to its path.
  ///
  /// A process that is still running keeps its file, unsealed, under the new name, and continues to record
  /// into it. A child that begins its trace later puts it beside the new name.
  ///
  /// - Returns: the trace as it is now.
  func finish(
    outputPath: String, _ outputFile: OutputFile, launch: ProgramLaunch.Result?,
    workload: Workload?, images: inout RecordedImages
  ) throws(Diagnostic) -> Trace {
    if trace.method == .instrumentation {
      TraceState.write(
        outputPath: try RecordingFolder.absolutePath(ofOutput: outputPath), to: path)
    }
    if trace.method == .instrumentation,
      ProgramLaunch.isRunning(
        processNumber: file.header.pid, startTime: file.header.startTime)
    {
      guard rename(path, outputPath + suffix) == 0 else {
        throw .unable(to: "write", outputPath + suffix)
      }
      return trace
    }
    images.add(trace.images)
    let now = ClockReading.now()
    let isLaunched = file.header.pid == launch?.processNumber && trace.forkedBy == nil
    let seal = TraceFile.Seal(
      processStart: isLaunched ? launch?.start : nil,
      lastPair: TraceHeader.ClockPair(ticks: now.ticks, nanoseconds: now.nanoseconds),
      workload: workload?.traceWorkload)
    return try write(sealed(seal, &images), outputPath, outputFile)
  }

  /// Writes a trace from another machine to its path. The trace is sealed if it was sealed there, or if its images are at
  /// their paths on this machine, too.
  func finishFetched(
    outputPath: String, _ outputFile: OutputFile, workload: Workload?, images: inout RecordedImages
  ) throws(Diagnostic) -> Trace {
    var found = RecordedImages()
    if !trace.isSealed { found.add(trace.images) }
    let isComplete = trace.images.allSatisfy { found.image(for: $0) != nil }
    guard !trace.isSealed, isComplete else {
      return try write(file.bytes.copy(0..<file.bytes.count), outputPath, outputFile)
    }
    images.add(trace.images)
    return try write(
      sealed(TraceFile.Seal(workload: workload?.traceWorkload), &images), outputPath, outputFile)
  }

  private func sealed(_ seal: TraceFile.Seal, _ images: inout RecordedImages) -> [UInt8] {
    file.sealed(
      seal, names: trace.namesForSealing(images.recordedImages(of: trace)),
      recordable: trace.recordableForSealing {
        images.recordableCode(of: $0, recordedBy: [trace.method])
      })
  }

  private func write(
    _ bytes: [UInt8], _ outputPath: String, _ outputFile: OutputFile
  ) throws(Diagnostic) -> Trace {
    let output = suffix.isEmpty ? outputFile : try OutputFile(outputPath + suffix)
    try output.finish(bytes)
    return Trace(try InputFile.traceFile(FileBytes(bytes), output.path), path: output.path)
  }
}
