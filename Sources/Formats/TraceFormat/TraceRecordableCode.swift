import ByteReading
import CTraceFormat

/// How much of the code of one image could be recorded, in a sealed trace: `orderfile_trace_recordable` with its
/// units.
package struct TraceRecordableCode: Equatable, Sendable {
  /// The number of the image in the trace.
  package var image: UInt64
  /// What makes code recordable.
  package var means: Means
  package var functions: UInt64
  package var allFunctions: UInt64
  package var bytes: UInt64
  package var allBytes: UInt64
  package var units: [Unit]

  /// The way in which code is recordable. This is a struct, because later versions may add ways.
  package struct Means: RawRepresentable, Equatable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let callback = Means(rawValue: ORDERFILE_MEANS_CALLBACK)
    package static let breakpoint = Means(rawValue: ORDERFILE_MEANS_BREAKPOINT)
    package static let execution = Means(rawValue: ORDERFILE_MEANS_EXECUTION)
  }

  /// The code of one compilation unit that could not be recorded.
  package struct Unit: Equatable, Sendable {
    package var functions: UInt64
    package var bytes: UInt64
    /// `nil` if it is unknown.
    package var name: [UInt8]?
    /// The name of the largest of these functions; `nil` if it is unknown.
    package var largestFunction: [UInt8]?

    package init(functions: UInt64, bytes: UInt64, name: [UInt8]?, largestFunction: [UInt8]?) {
      self.functions = functions
      self.bytes = bytes
      self.name = name
      self.largestFunction = largestFunction
    }
  }

  package init(
    image: UInt64, means: Means, functions: UInt64, allFunctions: UInt64, bytes: UInt64,
    allBytes: UInt64, units: [Unit]
  ) {
    self.image = image
    self.means = means
    self.functions = functions
    self.allFunctions = allFunctions
    self.bytes = bytes
    self.allBytes = allBytes
    self.units = units
  }
}

extension TraceRecordableCode {
  /// Reads the table at `recordable_offset`; empty if the trace has none.
  ///
  /// - Complexity: O(*b*) for *b* bytes of the table.
  static func readAll(
    _ bytes: FileBytes, _ header: TraceHeader
  ) throws(ParseError) -> [TraceRecordableCode] {
    guard header.flags.contains(.sealed), header.recordableCount > 0 else { return [] }
    let table = try bytes.range(
      offset: header.recordableOffset, size: header.recordableSize, "recordable")
    var input = ByteCursor(bytes, in: table)
    var images: [TraceRecordableCode] = []
    for _ in 0..<header.recordableCount { images.append(try TraceRecordableCode(parsing: &input)) }
    return images
  }

  private init(parsing input: inout ByteCursor) throws(ParseError) {
    image = UInt64(try input.read(UInt32.self, "recordable.image"))
    means = Means(rawValue: try input.read(UInt32.self, "recordable.means"))
    let position = input.position
    functions = try input.read(UInt64.self, "recordable.functions")
    allFunctions = try input.read(UInt64.self, "recordable.all_functions")
    bytes = try input.read(UInt64.self, "recordable.bytes")
    allBytes = try input.read(UInt64.self, "recordable.all_bytes")
    guard functions <= allFunctions, bytes <= allBytes else {
      throw ParseError(
        .invalid(
          expected: "no more than all",
          found: "\(functions) of \(allFunctions) functions, \(bytes) of \(allBytes) bytes"),
        "recordable.functions", at: position)
    }
    let unitCount = try input.read(UInt64.self, "recordable.unit_count")
    units = []
    for _ in 0..<unitCount { units.append(try Unit(parsing: &input)) }
  }

  func append(to output: inout [UInt8]) {
    output.append(littleEndian: UInt32(truncatingIfNeeded: image))
    output.append(littleEndian: means.rawValue)
    for field in [functions, allFunctions, bytes, allBytes, UInt64(units.count)] {
      output.append(littleEndian: field)
    }
    for unit in units {
      let (name, function) = (unit.name ?? [], unit.largestFunction ?? [])
      output.append(littleEndian: unit.functions)
      output.append(littleEndian: unit.bytes)
      output.append(littleEndian: UInt32(name.count))
      output.append(littleEndian: UInt32(function.count))
      output += name + function
    }
  }
}

extension TraceRecordableCode.Unit {
  fileprivate init(parsing input: inout ByteCursor) throws(ParseError) {
    functions = try input.read(UInt64.self, "unit.functions")
    bytes = try input.read(UInt64.self, "unit.bytes")
    let nameSize = try input.read(UInt32.self, "unit.name_size")
    let functionSize = try input.read(UInt32.self, "unit.largest_function_size")
    name = try input.readName(nameSize, "unit.name")
    largestFunction = try input.readName(functionSize, "unit.largest_function")
  }
}

extension ByteCursor {
  /// Reads a name of `size` bytes; `nil` if that is 0.
  fileprivate mutating func readName(
    _ size: UInt32, _ field: StaticString
  ) throws(ParseError) -> [UInt8]? {
    guard size > 0 else { return nil }
    let start = position
    let name = bytes.copy(try readRange(UInt64(size), field).indices)
    guard !name.contains(0) else { throw ParseError.zeroBytes(field, at: start) }
    return name
  }
}
