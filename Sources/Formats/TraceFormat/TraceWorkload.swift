import Addresses
import ByteReading
import CTraceFormat

/// What a launch was asked to do, in a sealed trace: `orderfile_trace_workload` with its inputs.
package struct TraceWorkload: Equatable, Sendable {
  package struct Input: Equatable, Sendable {
    package var path: [UInt8]
    package var hash: UInt64

    package init(path: [UInt8], hash: UInt64) {
      self.path = path
      self.hash = hash
    }
  }

  package var commandLine: UInt64
  package var name: [UInt8]
  package var inputs: [Input]

  package init(commandLine: UInt64, name: [UInt8], inputs: [Input]) {
    self.commandLine = commandLine
    self.name = name
    self.inputs = inputs
  }
}

extension TraceWorkload {
  /// Reads the workload at `workload_offset`; `nil` if the trace has none.
  ///
  /// - Complexity: O(*b*) for *b* bytes of the table.
  static func read(_ bytes: FileBytes, _ header: TraceHeader) throws(ParseError) -> TraceWorkload? {
    guard header.flags.contains(.sealed), header.workloadOffset.rawValue > 0 else { return nil }
    let table = try bytes.range(
      offset: header.workloadOffset, size: header.workloadSize, "workload")
    var input = ByteCursor(bytes, in: table)
    return try TraceWorkload(parsing: &input)
  }

  private init(parsing input: inout ByteCursor) throws(ParseError) {
    commandLine = try input.read(UInt64.self, "workload.command_line")
    let nameSize = try input.read(UInt32.self, "workload.name_size")
    let count = try input.read(UInt32.self, "workload.input_count")
    name = try input.readText(nameSize, "workload.name")
    inputs = []
    for _ in 0..<count {
      let hash = try input.read(UInt64.self, "input.hash")
      let pathSize = try input.read(UInt32.self, "input.path_size")
      _ = try input.read(UInt32.self, "input.reserved")
      inputs.append(Input(path: try input.readText(pathSize, "input.path"), hash: hash))
    }
  }

  func append(to output: inout [UInt8]) {
    output.append(littleEndian: commandLine)
    output.append(littleEndian: UInt32(name.count))
    output.append(littleEndian: UInt32(inputs.count))
    output += name
    for input in inputs {
      output.append(littleEndian: input.hash)
      output.append(littleEndian: UInt32(input.path.count))
      output.append(littleEndian: UInt32(0))
      output += input.path
    }
  }
}

extension ByteCursor {
  fileprivate mutating func readText(
    _ size: UInt32, _ field: StaticString
  ) throws(ParseError) -> [UInt8] {
    let start = position
    let text = bytes.copy(try readRange(UInt64(size), field).indices)
    guard !text.contains(0) else { throw ParseError.zeroBytes(field, at: start) }
    return text
  }
}
