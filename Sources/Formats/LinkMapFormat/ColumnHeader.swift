import ByteReading

/// The first line of a map of lld or mold: titles above right-justified columns.
///
///                  VMA              LMA     Size Align Out     In      Symbol
///
/// mold has no `LMA`. The position of a title gives the width of its column; a wider number shifts the rest
/// of its line to the right.
struct ColumnHeader {
  /// The width of the column with addresses, in bytes; the column of load addresses has the same width.
  let addressWidth: Int
  let sizeWidth: Int
  let alignmentWidth: Int
  let hasLoadAddress: Bool

  /// - Returns: `nil` if the line is not such a header.
  init?(_ bytes: FileBytes, _ line: Range<Int>) {
    var position = line.lowerBound
    func columnEnd(_ title: StaticString) -> Int? {
      var start = position
      while start < line.upperBound, bytes[start] == UInt8(ascii: " ") { start += 1 }
      let end = start + title.utf8CodeUnitCount
      return end <= line.upperBound && bytes.hasPrefix(title, at: start) ? end : nil
    }
    guard let address = columnEnd("VMA") else { return nil }
    addressWidth = address - position
    position = address
    if let loadAddress = columnEnd("LMA") {
      guard loadAddress - position == addressWidth + 1 else { return nil }
      position = loadAddress
      hasLoadAddress = true
    } else {
      hasLoadAddress = false
    }
    guard let size = columnEnd("Size") else { return nil }
    sizeWidth = size - position - 1
    position = size
    guard let alignment = columnEnd("Align") else { return nil }
    alignmentWidth = alignment - position - 1
    let tail: StaticString = " Out     In      Symbol"
    guard bytes.hasPrefix(tail, at: alignment),
      alignment + tail.utf8CodeUnitCount == line.upperBound,
      sizeWidth >= 4, alignmentWidth >= 5
    else { return nil }
  }
}
