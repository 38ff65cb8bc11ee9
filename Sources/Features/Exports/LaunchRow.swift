import Addresses
import ImageModel
import JSON

/// A row of the table of launches: a launch, with everything that a profile needs. docs/how-to/FLEET.md has the
/// columns.
package struct LaunchRow {
  static let version = 2

  package struct Image {
    package var path: String
    /// The key of the build in a profile.
    package var key: [UInt8]
    package var machine: UInt32 = 0
    package var methodBits: UInt64 = 0
    package var isProgram = false
    package var isUsed = false
    package var text = AddressRange(start: StatedAddress(rawValue: 0), size: 0)
    package var guardCount = 0
    package var blockCount = 0
    package var hasExecutedRuns = false
    package var unnamedHits: UInt64 = 0
    package var code = Part()
    package var data = Part()

    package init(path: String, key: [UInt8]) {
      self.path = path
      self.key = key
    }
  }

  /// The uses of an image's code, or the touches of its data.
  package struct Part {
    /// The uses, in the order of first uses.
    package var uses: [Use] = []
    /// The functions or data that no earlier row of the table describes.
    package var described: [Function] = []
  }

  /// The first use of a function, or the first touch of a datum.
  package struct Use {
    package var address: StatedAddress
    package var nanoseconds: UInt64?
    package var blocks: [FunctionBlock]

    package init(address: StatedAddress, nanoseconds: UInt64?, blocks: [FunctionBlock]) {
      self.address = address
      self.nanoseconds = nanoseconds
      self.blocks = blocks
    }
  }

  /// The description of a function, or of a datum.
  package struct Function: Equatable {
    package var address: StatedAddress
    package var size: UInt64?
    package var names: [SymbolName]
    package var objectFile: SymbolName?

    package init(
      address: StatedAddress, size: UInt64?, names: [SymbolName], objectFile: SymbolName?
    ) {
      self.address = address
      self.size = size
      self.names = names
      self.objectFile = objectFile
    }
  }

  /// The path of the trace.
  package var trace: String
  package var weight: UInt64
  /// The hash of the uses; `nil` if there are no uses.
  package var hash: UInt64?
  package var end: String?
  package var lostRecords: UInt64 = 0
  package var inFlightRecords: UInt64 = 0
  package var unattributedHits: UInt64 = 0
  /// The workload of the launch; `nil` if the trace does not state it.
  package var workload: WorkloadSummary?
  package var images: [Image] = []

  package init(trace: String, weight: UInt64) {
    self.trace = trace
    self.weight = weight
  }

  /// The largest number in the row, addresses included. A column holds signed 64-bit numbers.
  package var largestNumber: UInt64 {
    var largest = max(weight, lostRecords, inFlightRecords, unattributedHits)
    for image in images {
      largest = max(largest, image.text.start.rawValue, image.text.size, image.unnamedHits)
      for part in [image.code, image.data] {
        for function in part.described { largest = max(largest, function.size ?? 0) }
        for use in part.uses {
          largest = max(largest, use.address.rawValue, use.nanoseconds ?? 0)
          for block in use.blocks { largest = max(largest, block.offset, block.size) }
        }
      }
    }
    return largest
  }
}

// MARK: JSON

extension LaunchRow {
  /// The row as a line of JSON, with a line feed at its end.
  package var line: [UInt8] {
    JSONWriter.line { json in
      json.member("end", end)
      json.member("hash", hash.map { hexadecimal($0) })
      json.member("images", images)
      json.member("inFlightRecords", inFlightRecords)
      json.member("lostRecords", lostRecords)
      json.member("trace", trace)
      json.member("unattributedHits", unattributedHits)
      json.member("version", Self.version)
      json.member("weight", weight)
      guard let workload else { return }
      json.object("workload") { json in
        json.member("commandLine", hexadecimal(workload.commandLine))
        json.member("inputs", workload.inputs.map { hexadecimal($0) })
        json.member("launch", workload.launch)
      }
    }
  }
}

extension LaunchRow.Image: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("blockCount", blockCount)
    json.member("code", code)
    json.member("data", data)
    json.member("guards", guardCount)
    json.member("hasExecutedRuns", hasExecutedRuns)
    json.member("isProgram", isProgram)
    json.member("isUsed", isUsed)
    json.member("key", hexadecimal(key))
    json.member("machine", Int(machine))
    json.member("methods", methodBits)
    json.member("path", path)
    json.member("textSize", text.size)
    json.member("textStart", text.start.rawValue)
    json.member("unnamedHits", unnamedHits)
  }
}

extension LaunchRow.Part: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.array("addresses") { json in
      for use in uses { json.element(use.address.rawValue) }
    }
    json.array("blocks") { json in
      guard uses.contains(where: { !$0.blocks.isEmpty }) else { return }
      for use in uses { json.element(BlockList(blocks: use.blocks)) }
    }
    json.member("described", described)
    json.array("nanoseconds") { json in
      for use in uses { json.element(use.nanoseconds) }
    }
  }
}

extension LaunchRow.Function: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("address", address.rawValue)
    json.array("names") { json in
      for name in names { json.element(characters(name)) }
    }
    json.member("objectFile", objectFile.map(characters))
    json.member("size", size)
  }

  /// Returns a character for each byte, because a name need not be UTF-8 and JSON must be.
  private func characters(_ name: SymbolName) -> String {
    String(String.UnicodeScalarView(name.bytes.map { Unicode.Scalar($0) }))
  }
}

/// The basic blocks of one use, as JSON.
private struct BlockList: JSONValue {
  var blocks: [FunctionBlock]

  func write(to json: inout JSONWriter) {
    json.write(literal: "[")
    for (index, block) in blocks.enumerated() {
      json.write(literal: index > 0 ? ", " : "")
      json.write(literal: "{\"offset\": \(block.offset), \"size\": \(block.size)}")
    }
    json.write(literal: "]")
  }
}

/// Returns sixteen digits, which sort as the numbers do.
private func hexadecimal(_ hash: UInt64) -> String {
  hexadecimal((0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * UInt64($0))) })
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
