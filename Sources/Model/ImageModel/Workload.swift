import Addresses

/// The command line and the inputs of a launch, as hashes. The hashes show whether a launch that is recorded again was
/// asked to do the same.
///
/// Hashes are FNV-1a, 64 bits. They detect accidental changes; equal hashes can be made on purpose.
package struct Workload: Hashable, Sendable {
  /// A file that the launch reads.
  package struct Input: Hashable, Sendable {
    /// The path of the file, as the user gave it.
    package var path: String
    /// The hash of the file's contents before the launch.
    package var hash: UInt64

    package init(path: String, hash: UInt64) {
      self.path = path
      self.hash = hash
    }
  }

  /// The requested name of the trace: the same if the launch is recorded again.
  package var launch: String
  /// The hash of the program's file name and its arguments.
  package var commandLine: UInt64
  /// The inputs, in the order in which the user gave them.
  package var inputs: [Input]

  package init(launch: String, commandLine: UInt64, inputs: [Input] = []) {
    self.launch = launch
    self.commandLine = commandLine
    self.inputs = inputs
  }

  package var summary: WorkloadSummary {
    var hash = FNV1a()
    for input in inputs {
      for shift in stride(from: 0, to: 64, by: 8) {
        hash.add(UInt8(truncatingIfNeeded: input.hash >> UInt64(shift)))
      }
    }
    return WorkloadSummary(
      launch: launch, commandLine: commandLine, inputs: inputs.isEmpty ? nil : hash.value)
  }
}

/// A workload without the names of its inputs.
package struct WorkloadSummary: Hashable, Sendable {
  package var launch: String
  package var commandLine: UInt64
  /// The hash of the contents of all inputs, in their order; `nil` if no input was given.
  package var inputs: UInt64?

  package init(launch: String, commandLine: UInt64, inputs: UInt64?) {
    self.launch = launch
    self.commandLine = commandLine
    self.inputs = inputs
  }
}

// File names are equal if their bytes are equal, not if they only look the same.
extension WorkloadSummary: Comparable {
  package static func == (a: Self, b: Self) -> Bool {
    a.launch.utf8.elementsEqual(b.launch.utf8) && a.commandLine == b.commandLine
      && a.inputs == b.inputs
  }

  package static func < (a: Self, b: Self) -> Bool {
    if !a.launch.utf8.elementsEqual(b.launch.utf8) {
      return a.launch.utf8.lexicographicallyPrecedes(b.launch.utf8)
    }
    if a.commandLine != b.commandLine { return a.commandLine < b.commandLine }
    guard let inputs = a.inputs, let other = b.inputs else {
      return a.inputs == nil && b.inputs != nil
    }
    return inputs < other
  }
}
