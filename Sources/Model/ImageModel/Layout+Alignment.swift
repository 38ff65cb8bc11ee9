import Addresses

extension Layout {
  /// The alignment of most functions in a section: the largest power of two, 64 at most, that divides nine in ten of
  /// their addresses. 1 if the section has no functions.
  ///
  /// - Parameter index: an index into `sections`.
  /// - Complexity: O(*n*) for *n* functions in the section.
  package func alignment(inSection index: Int) -> UInt64 {
    let range = sections[index].range
    let members = functions[functions.partitioningIndex { $0.address >= range.start }...]
      .prefix { $0.address < range.end }
    guard !members.isEmpty else { return 1 }
    let alignments: [UInt64] = [64, 32, 16, 8, 4, 2]
    return alignments.first { alignment in
      members.count { $0.address.rawValue.isMultiple(of: alignment) } * 10 >= members.count * 9
    } ?? 1
  }
}

extension UInt64 {
  /// The smallest multiple of `alignment` that is not below this number; this number if such a multiple would not fit.
  ///
  /// - Precondition: `alignment` is not 0.
  package func aligned(to alignment: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(alignment - 1)
    return overflow ? self : sum / alignment * alignment
  }
}
