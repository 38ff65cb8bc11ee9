// Functions without a symbol
//
// Compilers leave their local labels out of the symbol table (`.Lobjectdestroy` of Swift), and stripping removes all
// symbols. Unwind tables still state where such a function begins and ends, so a launch that runs it can be counted. An
// order file can't move it, because it has no name. But linkers keep functions that are not ordered in input order: the
// same object files linked in another order have the same unnamed functions in the same sequence. That is how an
// unnamed function is found in another layout.

import Addresses

extension PlacedSymbol {
  /// Whether no symbol names the function: only unwind tables list it.
  ///
  /// Its reference to a name is then empty; only this file relies on this. With an optional reference each function
  /// would take 64 bytes instead of 56; an image has hundreds of thousands of functions, and few are unnamed.
  package var isUnnamed: Bool { name.count == 0 }

  fileprivate init(unnamed frame: AddressRange, section: Int) {
    self.init(
      name: NameReference(offset: 0, count: 0), address: frame.start, size: frame.size,
      section: UInt32(section), isLocal: true)
  }
}

extension Layout {
  /// The name of `function`; `nil` if no symbol names it.
  package func symbolName(of function: PlacedSymbol) -> SymbolName? {
    function.isUnnamed ? nil : name(of: function)
  }

  /// This layout with an unnamed function for each of `frames` that begins in code, but not in a linkage table or in a
  /// function of known size. The indexes of functions change.
  ///
  /// - Parameter frames: the ranges that unwind tables cover.
  /// - Complexity: O((*f* + *n*) log (*f* + *n*)) for *f* frames and *n* functions.
  package func addingUnnamedFunctions(_ frames: [AddressRange]) -> Layout {
    let code = sections.indices.filter {
      sections[$0].isExecutable && !sections[$0].isLinkageTable && sections[$0].range.size > 0
    }
    var added: [PlacedSymbol] = []
    var last: AddressRange?
    for frame in frames where frame.start != last?.start {
      last = frame
      let covering = functions(containing: frame.start)
      if let widest = covering.last.map({ functions[$0] }),
        widest.size != nil || widest.address == frame.start
      {
        continue
      }
      let next = code.partitioningIndex { sections[$0].range.start > frame.start }
      guard next > 0, sections[code[next - 1]].range.contains(frame.start) else { continue }
      added.append(PlacedSymbol(unnamed: frame, section: code[next - 1]))
    }
    return Layout(
      imageFormat: imageFormat, sections: sections, functions: functions + added, names: names,
      absentSymbols: absentSymbols)
  }
}

/// The matching unnamed functions of two layouts of the same object files.
package struct UnnamedFunctionPairs: Sendable {
  private let pairs: [(before: Int, after: Int)]

  /// - Returns: `nil` if the layouts are not of the same object files: their unnamed functions then differ in size or
  ///   order.
  /// - Complexity: O(*n*) for *n* functions.
  package init?(before: Layout, after: Layout) {
    func unnamed(_ layout: Layout) -> [Int] {
      layout.functions.indices.filter { layout.functions[$0].isUnnamed }
    }
    let (first, second) = (unnamed(before), unnamed(after))
    guard first.count == second.count,
      zip(first, second).allSatisfy({ before.functions[$0].size == after.functions[$1].size })
    else { return nil }
    pairs = zip(first, second).map { (before: $0, after: $1) }
  }

  /// The pair of the function with this index in the layout before; `nil` if the function has a name.
  ///
  /// - Complexity: O(log *n*) for *n* pairs.
  package func pair(before index: Int) -> (before: Int, after: Int)? { pair(index, \.before) }

  /// The pair of the function with this index in the layout after; `nil` if the function has a name.
  package func pair(after index: Int) -> (before: Int, after: Int)? { pair(index, \.after) }

  private func pair(
    _ index: Int, _ side: (((before: Int, after: Int)) -> Int)
  ) -> (before: Int, after: Int)? {
    let place = pairs.partitioningIndex { side($0) >= index }
    return place < pairs.count && side(pairs[place]) == index ? pairs[place] : nil
  }
}
