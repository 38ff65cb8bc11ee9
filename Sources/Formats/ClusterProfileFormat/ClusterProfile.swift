// The profile that clang's -fbasic-block-sections=list=FILE reads, and lld's --lto-basic-block-sections=FILE, version
// 1. For each function that is to be split it lists the blocks of each part by their IDs, which are the IDs of the
// basic block address map of the same code. All other blocks of these functions become the part NAME.cold.
//
//     v1
//     m lib/parse.c      the compile unit as debug information names it, without a leading "./"; for the next f alone
//     f parse            the function; several names, separated by blanks, are aliases of one function
//     c 0 2 3 7          the first part; block 0, the entry, leads a part
//     f main
//     c 0 1
//
// A line that begins with # is a comment. A function needs m if several modules have a function of its name. Without m,
// the first profile of that name is an error for the compiler, or is applied to all these functions. A function without
// c would get a section for each of its blocks. The compiler does not check the IDs.
// <https://github.com/llvm/llvm-project/blob/main/llvm/lib/CodeGen/BasicBlockSectionsProfileReader.cpp>

import Addresses
import ByteReading

/// The blocks that a compiler is to put together, for each function that it is to split.
package struct ClusterProfile: Hashable, Sendable {
  package struct Function: Hashable, Sendable {
    /// The compile unit that has the function; `nil` if its name is enough to find it.
    package var unit: [UInt8]?
    /// The names of the function and of its aliases; at least one.
    package var names: [[UInt8]]
    /// The IDs of the blocks of each part, in their order.
    package var clusters: [[UInt32]]

    package init(unit: [UInt8]? = nil, names: [[UInt8]], clusters: [[UInt32]]) {
      self.unit = unit
      self.names = names
      self.clusters = clusters
    }
  }

  package var functions: [Function]

  package init(functions: [Function]) { self.functions = functions }
}

extension ClusterProfile {
  /// Returns the bytes of the profile's file.
  ///
  /// - Parameter header: lines for a comment at the top, without delimiters.
  /// - Precondition: names and units satisfy `isWritable`, and every function has a name and a cluster.
  /// - Complexity: O(*n*) for *n* bytes in the file.
  package func written(header: [String] = []) -> [UInt8] {
    var bytes = Array("v1\n".utf8)
    func append(_ specifier: String, _ words: [[UInt8]]) {
      bytes += specifier.utf8
      for word in words {
        bytes.append(UInt8(ascii: " "))
        bytes += word
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    for line in header.flatMap({ $0.split(whereSeparator: \.isNewline) }) {
      bytes += "# \(line)\n".utf8
    }
    for function in functions {
      precondition(!function.names.isEmpty && !function.clusters.isEmpty, "the compiler needs both")
      if let unit = function.unit { append("m", [unit]) }
      append("f", function.names)
      for cluster in function.clusters { append("c", cluster.map { Array("\($0)".utf8) }) }
    }
    return bytes
  }

  /// Whether a name or a unit can be written to the file, in which blanks and line breaks separate words.
  package static func isWritable(_ name: some Collection<UInt8>) -> Bool {
    !name.isEmpty && name.allSatisfy { $0 > UInt8(ascii: " ") && $0 != 0x7f }
  }
}

extension ClusterProfile {
  /// Whether `bytes` begin with a version, as no order file does.
  package static func begins(_ bytes: FileBytes) -> Bool {
    bytes.hasPrefix("v1\n", at: 0) || bytes.hasPrefix("v1\r\n", at: 0)
  }

  /// Reads a profile of version 1.
  ///
  /// - Throws: `missing` without the line "v1"; `unsupported` for another version, for lines of clones and edges
  ///   ("p", "g"), and for block IDs of clones ("3.1"); `invalid` as the compiler would: a block that is listed twice,
  ///   block 0 inside a part, a function that is listed twice, a part without a function. Errors have the line.
  /// - Complexity: O(*n*) for *n* bytes, on average.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    var reader = ClusterProfileReader(bytes)
    try reader.read()
    functions = reader.functions
  }
}
