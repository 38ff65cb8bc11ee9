import Addresses

/// The share of the startup functions that an order file covers. A function is covered if the order file lists the
/// function and the linker placed the function in order.
///
/// Even if the linker follows all entries of an order file, the file may cover few startup functions: functions that
/// are newer than the file are in no entry.
package struct OrderCoverage: Hashable, Sendable {
  /// The number of startup functions in the layout after, at least one, and their bytes.
  package var functions: Int
  package var bytes: UInt64
  /// The number of covered startup functions, and their bytes.
  package var covered: Int
  package var coveredBytes: UInt64
}

extension DiffDocument.Compliance {
  /// The coverage of the order file; `nil` without an order file, or if the document does not list startup functions.
  package var coverage: OrderCoverage? {
    guard order != nil, let functions, !functions.isEmpty else { return nil }
    let covered = functions.filter { $0.isOrdered == true }
    return OrderCoverage(
      functions: functions.count, bytes: functions.map(\.bytes).saturatingSum(),
      covered: covered.count, coveredBytes: covered.map(\.bytes).saturatingSum())
  }
}
