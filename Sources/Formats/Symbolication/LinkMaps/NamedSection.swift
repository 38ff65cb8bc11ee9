import ByteReading
import OrderFileFormat

/// An input section of a map that is named after a function.
struct NamedSection {
  /// The place of the function's name in the map; not empty.
  let function: Range<Int>
  let part: FunctionSection.Part

  /// - Parameter name: the place of the section's name in `bytes`.
  /// - Returns: `nil` if the name contains no function, or if it names a group of functions.
  init?(_ bytes: FileBytes, _ name: Range<Int>) {
    guard let section = bytes.withSpan(name, { FunctionSection($0) }), !section.isGroup else {
      return nil
    }
    function = name.dropFirst(section.nameStart)
    part = section.part
  }
}
