/// Assembles a payload, in the layout of `orderfile_payload_format.h`, independently of the recorder.
package struct PayloadWriter {
  package struct Table {
    package var hash: UInt64
    package var guards: UInt32
    package var idKind: UInt8
    package var id: [UInt8]
    package var flags: UInt8
    /// The numbers of the guards of functions that ran, ascending, and the quarters.
    package var functions: [(guardIndex: Int, quarter: Int)]
    package var parameter = 1

    package init(
      hash: UInt64, guards: UInt32, idKind: UInt8 = 1, id: [UInt8] = [0x9f, 0x3a],
      flags: UInt8 = 1, functions: [(guardIndex: Int, quarter: Int)]
    ) {
      self.hash = hash
      self.guards = guards
      self.idKind = idKind
      self.id = id
      self.flags = flags
      self.functions = functions
    }

    /// The code of the functions.
    package var code: [UInt8] {
      var bits: [Bool] = []
      var next = 0
      for (index, quarter) in functions {
        let gap = index - next
        next = index + 1
        bits += Array(repeating: false, count: gap >> parameter) + [true]
        for shift in (0..<parameter).reversed() { bits.append(gap >> shift & 1 == 1) }
        bits += [quarter & 2 != 0, quarter & 1 != 0]
      }
      return stride(from: 0, to: bits.count, by: 8).map { start in
        bits[start..<min(start + 8, bits.count)].enumerated().reduce(UInt8(0)) {
          $0 | ($1.element ? 0x80 >> UInt8($1.offset) : 0)
        }
      }
    }
  }

  package var version: UInt16 = 1
  package var machine: UInt32 = 62
  package var end: UInt8 = 2
  package var memoryClass: UInt8 = 32
  package var omitted: UInt16 = 0
  package var token: UInt64 = 1
  package var tables: [Table]
  /// The checksum in the payload; `nil` for the right one.
  package var checksum: UInt32?

  package init(_ tables: [Table]) { self.tables = tables }

  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.write([0x89] + Array("OFFIELD".utf8))
    writer.write(version)
    writer.write(UInt16(tables.count))
    writer.write(omitted)
    writer.write(end)
    writer.write(memoryClass)
    writer.write(UInt32(0))
    writer.write(machine)
    writer.write(UInt32(0))
    writer.write(UInt32(0))
    writer.write(token)
    for table in tables {
      let code = table.code
      writer.write(table.hash)
      writer.write(table.guards)
      writer.write(UInt32(table.functions.count))
      writer.write(UInt16(code.count))
      writer.write(table.idKind)
      writer.write(UInt8(table.id.count))
      writer.write(UInt8(table.parameter))
      writer.write(table.flags)
      writer.write(UInt16(0))
      writer.write(table.id)
      writer.write(code)
    }
    writer.overwrite(at: 16, with: UInt32(writer.count))
    writer.overwrite(at: 28, with: checksum ?? Self.checksum(writer.bytes))
    return writer.bytes
  }

  /// The low half of FNV-1a, 64 bits.
  package static func checksum(_ bytes: [UInt8]) -> UInt32 {
    UInt32(truncatingIfNeeded: fnv1a(bytes))
  }

  /// FNV-1a, 64 bits.
  package static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
