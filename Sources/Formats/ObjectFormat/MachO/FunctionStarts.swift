// The start of each function, for images whose symbols were stripped: LC_FUNCTION_STARTS points to a sequence of
// ULEB128 numbers in __LINKEDIT. The first is the distance of the first function from the Mach-O header, each other
// number is the distance from the function before. A zero ends the sequence, which is padded with zeros to a multiple
// of 8 bytes. Functions without a symbol, such as those that only an `l` label names, are included; stubs are not.
// `linkedit_data_command` in mach-o/loader.h; ld64's src/ld/LinkEdit.hpp, FunctionStartsAtom

import Addresses
import ByteReading

extension MachOFile {
  /// The stated addresses of all functions, ascending; `nil` if the linker wrote no list.
  ///
  /// - Throws: `truncated` if the list exceeds the file, or its last number exceeds the list; `invalid` for
  ///   an address of 2^64 or more; `missing` in a file without a `__TEXT` segment.
  /// - Complexity: O(*n*) for *n* functions.
  package func functionStarts() throws(ParseError) -> [StatedAddress]? {
    guard let command = command(.functionStarts) else { return nil }
    let list = try linkEditData(command)
    guard let baseAddress else {
      throw ParseError(.missing, "__TEXT", at: command.range.lowerBound)
    }
    var starts: [StatedAddress] = []
    starts.reserveCapacity(list.byteCount / 2)
    var address = baseAddress
    var input = ByteCursor(bytes, in: list)
    while !input.isAtEnd {
      let start = input.position
      let distance = try input.readULEB128("LC_FUNCTION_STARTS")
      if distance == 0 { break }
      guard let next = address.advanced(by: distance) else {
        throw ParseError(
          .invalid(expected: "below 2^64 - \(address)", found: hexadecimal(distance)),
          "LC_FUNCTION_STARTS", at: start)
      }
      address = next
      starts.append(address)
    }
    return starts
  }

  /// The range of the data that a `linkedit_data_command` points to.
  func linkEditData(_ command: LoadCommand) throws(ParseError) -> ByteRange {
    var input = command.contents(bytes)
    let offset = UInt64(try input.read(UInt32.self, "dataoff"))
    let size = UInt64(try input.read(UInt32.self, "datasize"))
    return try range(offset: offset, size: size, "datasize")
  }
}
