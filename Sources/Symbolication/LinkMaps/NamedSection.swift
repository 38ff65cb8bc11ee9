import ByteReading
import OrderFileFormat

/// An input section of a map that is named for one function.
struct NamedSection {
  /// Where the function's name stands in the map; not empty.
  let function: Range<Int>
  let part: FunctionSection.Part

  /// - Parameter name: where the section's name stands in `bytes`.
  /// - Returns: `nil` if the name names no function, or it is that of a group of functions.
  init?(_ bytes: FileBytes, _ name: Range<Int>) {
    guard let section = bytes.withSpan(name, { FunctionSection($0) }), !section.isGroup else {
      return nil
    }
    function = name.dropFirst(section.nameStart)
    part = section.part
  }
}
