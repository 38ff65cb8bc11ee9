import Addresses
import ImageModel

/// The bytes that a launch touches in one layout, in time order, and the rows that count them.
struct LaunchTouches: Sendable {
  struct Row: Sendable {
    var name: SymbolName
    var cause: TouchCause
    /// The range outside of which a fault reads nothing: a segment, if it is known; `nil` for bytes in no section.
    var mapping: AddressRange?
  }

  /// A range of bytes that a launch touches together.
  struct Range: Sendable {
    var step: Int
    var bytes: AddressRange
    /// The index of the row in `rows`.
    var row: Int
    /// The function that contains the bytes, as an index into the layout's functions; `nil` if no function contains
    /// them.
    var function: Int?
    /// The start of the function; `bytes` may be a part of it.
    var entry: StatedAddress?
  }

  /// The sections, ascending by address, followed by the rows that `facts` adds. Rows without touches are included.
  let rows: [Row]
  /// The touched ranges, ascending by step.
  let ranges: [Range]
  /// The range of the segment `__TEXT` of a Mach-O image; `nil` for another format.
  let segment: AddressRange?
  let imageFormat: ImageFormat

  /// - Parameter steps: the parts that each step uses.
  init(of layout: Layout, steps: [[Part]], facts: LaunchFacts = LaunchFacts()) {
    let text = MachOText(layout)
    let segment = text?.segment
    var rows = layout.sections.map { section in
      let mapping = segment.flatMap { $0.contains(section.range.start) ? $0 : nil }
      return Row(
        name: section.name, cause: .startupFunction, mapping: mapping ?? section.range)
    }
    var ranges: [Range] = []
    var firstSectionRow = 0
    if let text {
      for section in text.readWhole { rows[section].cause = .wholeSection }
      rows.insert(
        Row(name: MachOText.headerName, cause: .header, mapping: text.segment), at: 0)
      firstSectionRow = 1
      if !steps.isEmpty {
        let header = AddressRange(start: text.segment.start, size: 0)
        ranges.append(Range(step: 0, bytes: header, row: 0))
        ranges += text.readWhole.map {
          Range(step: 0, bytes: layout.sections[$0].range, row: firstSectionRow + $0)
        }
      }
    }
    var seen: Set<PartList> = []
    // Parts that are used again touch nothing new.
    for (step, parts) in steps.enumerated() where seen.insert(PartList(parts)).inserted {
      for part in parts {
        let function = layout.functions[part.function]
        ranges += layout.ranges(of: part).map {
          Range(
            step: step, bytes: $0, row: firstSectionRow + Int(function.section),
            function: part.function, entry: function.address)
        }
      }
    }
    ImpliedRows.add(
      facts.touches(executing: ranges.map { ($0.step, $0.bytes) }, stepCount: steps.count),
      of: layout, to: &rows, &ranges)
    self.rows = rows
    self.ranges = ranges
    self.segment = segment
    imageFormat = layout.imageFormat
  }

  /// Returns the startup functions and bytes of each row. If sections overlap, which no linker produces, bytes count
  /// for the section that begins first, and aliases for one of their sections.
  func countBytes() -> [TouchedPages] {
    var counts = [TouchedPages](repeating: TouchedPages(), count: rows.count)
    var countedBodies: Set<StatedAddress> = []
    var countedUpTo = StatedAddress(rawValue: 0)
    let ascending = ranges.sorted { a, b in
      guard a.bytes.start == b.bytes.start else { return a.bytes.start < b.bytes.start }
      return isAscending(a.function, b.function)
    }
    for range in ascending {
      if let entry = range.entry, countedBodies.insert(entry).inserted {
        counts[range.row].startupFunctions += 1
      }
      let firstNewByte = max(range.bytes.start, countedUpTo)
      if firstNewByte < range.bytes.end {
        counts[range.row].startupBytes += range.bytes.end.rawValue - firstNewByte.rawValue
        countedUpTo = range.bytes.end
      }
    }
    return counts
  }
}

/// Returns whether `a` comes before `b`; `nil` comes before all other values.
func isAscending<Value: Comparable>(_ a: Value?, _ b: Value?) -> Bool {
  switch (a, b) {
  case (_, nil): false
  case (nil, _?): true
  case (let a?, let b?): a < b
  }
}

extension Layout {
  /// The ranges of a function, or of its blocks, limited to its section.
  fileprivate func ranges(of part: Part) -> [AddressRange] {
    let body = body(of: part.function)
    guard let blocks = part.blocks else { return [body] }
    return blocks.map { block in
      // A block that begins at or after the end of the body contains none of its bytes.
      guard block.offset < body.size, let start = body.start.advanced(by: block.offset) else {
        return AddressRange(start: body.start, size: 0)
      }
      return AddressRange(start: start, size: min(block.size, body.size - block.offset))
    }
  }

  private func body(of index: Int) -> AddressRange {
    let function = functions[index]
    let section = sections[Int(function.section)].range
    guard section.contains(function.address) else {
      return AddressRange(start: function.address, size: 0)
    }
    let available = section.end.rawValue - function.address.rawValue
    return AddressRange(start: function.address, size: min(function.knownBytes, available))
  }
}
