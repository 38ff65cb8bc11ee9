import Addresses
import ByteReading
import CommandSupport
import ImageModel
import Symbolication
import TraceFormat

extension Workload {
  /// Reads the inputs, which the launch may change.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments. Only the file name of the program counts.
  ///   - inputs: the paths of files that the launch reads.
  ///   - tracePath: where the trace is written.
  /// - Throws: an error if an input can't be read.
  package init(
    command: [String], inputs: [String], tracePath: String
  ) throws(Diagnostic) {
    var hash = FNV1a()
    for (index, word) in command.enumerated() {
      for byte in (index == 0 ? fileName(ofPath: word) : word).utf8 { hash.add(byte) }
      hash.add(0)
    }
    self.init(
      launch: fileName(ofPath: tracePath), commandLine: hash.value,
      inputs: try inputs.map { path throws(Diagnostic) in
        let bytes: FileBytes
        do throws(SystemError) { bytes = try FileBytes(regularFileAt: path) } catch {
          throw Diagnostic(opening: path, error)
        }
        var hash = FNV1a()
        for index in 0..<bytes.count { hash.add(bytes[index]) }
        return Input(path: path, hash: hash.value)
      })
  }

  var traceWorkload: TraceWorkload {
    TraceWorkload(
      commandLine: commandLine, name: Array(launch.utf8),
      inputs: inputs.map { .init(path: Array($0.path.utf8), hash: $0.hash) })
  }
}
