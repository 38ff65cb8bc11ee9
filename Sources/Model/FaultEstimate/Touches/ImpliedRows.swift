import Addresses
import ImageModel

/// The rows of an estimate for the bytes that startup functions lead to, one row for each section and cause.
enum ImpliedRows {
  private static let headerName: SymbolName = "ELF header"

  private struct Key: Hashable, Comparable {
    /// The section of the bytes, as an index into the layout's `sections`; `nil` for bytes in no section, which come
    /// first.
    var section: Int?
    var cause: TouchCause

    static func < (a: Self, b: Self) -> Bool {
      a.section == b.section ? a.cause < b.cause : isAscending(a.section, b.section)
    }
  }

  /// Appends a row for each section and cause in `touches`. Merges the ranges of `touches` by step, after the other
  /// ranges of the same step.
  static func add(
    _ touches: [(step: Int, touch: LaunchFacts.Touch)], of layout: Layout,
    to rows: inout [LaunchTouches.Row], _ ranges: inout [LaunchTouches.Range]
  ) {
    guard !touches.isEmpty else { return }
    let keys = touches.map { key(of: $0.touch, in: layout) }
    var rowOfKey: [Key: Int] = [:]
    for key in Set(keys).sorted() {
      rowOfKey[key] = rows.count
      let section = key.section.map { layout.sections[$0] }
      rows.append(
        LaunchTouches.Row(
          name: section?.name ?? headerName,
          cause: key.cause,
          mapping: section?.range))
    }
    for (key, (step, touch)) in zip(keys, touches) {
      ranges.append(LaunchTouches.Range(step: step, bytes: touch.bytes, row: rowOfKey[key] ?? 0))
    }
    ranges = ranges.enumerated().sorted {
      ($0.element.step, $0.offset) < ($1.element.step, $1.offset)
    }.map(\.element)
  }

  private static func key(of touch: LaunchFacts.Touch, in layout: Layout) -> Key {
    Key(
      section: layout.section(containing: touch.bytes.start),
      cause: touch.cause)
  }
}
