import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

/// A function of an image that debug information describes.
package struct DescribedFunction: Hashable, Sendable {
  package var address: StatedAddress
  package var name: SymbolName
  /// The name of its compile unit, as it was compiled: usually the path of a source file.
  package var unit: SymbolName

  /// Those at the functions of `layout`, in the order of the debug information; none if the image in `bytes` has no
  /// DWARF, or if that can't be read.
  ///
  /// - Complexity: O(*n* log *m*) for *n* entries of `.debug_info` and *m* functions of the layout.
  package static func all(of bytes: FileBytes, in layout: Layout) -> [DescribedFunction] {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes),
      let debug = (try? DebugFunctions(file)) ?? nil
    else { return [] }
    return debug.functions.compactMap { function in
      guard let unit = function.unit, !layout.functions(at: function.range.start).isEmpty else {
        return nil
      }
      return DescribedFunction(
        address: function.range.start, name: SymbolName(bytes: debug.names[function.name]),
        unit: SymbolName(bytes: debug.names[unit]))
    }
  }
}
