import ImageModel

/// A profile for BOLT: the code that ran, without branches, and the order of the functions.
///
/// BOLT divides functions into basic blocks itself, and takes a block as executed if a sample lies in it. Only BOLT
/// knows where its blocks begin, so the profile has a sample for each place at which an instruction can begin.
/// <https://github.com/llvm/llvm-project/blob/main/bolt/include/bolt/Profile/DataReader.h>
package struct BOLTProfile: Sendable {
  package struct Function: Sendable {
    /// The name that BOLT gives the function.
    package var name: [UInt8]
    /// The executed code of the function, in any order.
    package var executed: [FunctionBlock]

    package init(name: [UInt8], executed: [FunctionBlock]) {
      self.name = name
      self.executed = executed
    }
  }

  private let functions: [Function]
  private let step: UInt64
  /// The number of functions with executed code. BOLT must find all of them.
  package var count: Int { functions.count }

  /// - Parameters:
  ///   - functions: the functions in the order of their first uses, each name once. Functions without executed code are
  ///     left out, and so are functions whose name has a line break or a zero byte, which a profile can't contain.
  ///   - step: the size of the smallest instruction.
  package init(_ functions: [Function], step: UInt64) {
    precondition(step > 0, "an instruction has bytes")
    self.step = step
    self.functions = functions.filter {
      !$0.executed.allSatisfy { $0.size == 0 } && !$0.name.contains(0) && !$0.name.contains(10)
        && !$0.name.contains(13)
    }
  }

  /// The file for `--function-order`: the names of the functions, one a line.
  package var order: [UInt8] { functions.flatMap { $0.name + [UInt8(ascii: "\n")] } }

  /// The file for `--data`: the profile. The name of its event must not be one of the names for which BOLT divides the
  /// samples of a block.
  ///
  /// - Complexity: O(*n*) for *n* executed bytes.
  package var samples: [UInt8] {
    var text = Array("no_lbr executed:\n".utf8)
    for function in functions {
      var next: UInt64 = 0
      let name = Self.escaped(function.name)
      for block in function.executed.sorted() {
        let (sum, overflow) = block.offset.addingReportingOverflow(block.size)
        let end = overflow ? .max : sum
        var offset = max(block.offset, next)
        while offset < end {
          text += Array("1 ".utf8) + name + Array(" \(String(offset, radix: 16)) 1\n".utf8)
          offset += min(step, end - offset)
        }
        next = max(next, end)
      }
    }
    return text
  }

  /// A name with a backslash in front of each blank and backslash.
  private static func escaped(_ name: [UInt8]) -> [UInt8] {
    name.flatMap { byte in
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
    }
  }
}
