import ByteReading
import ImageModel

/// The object files or source files that the functions of an image come from, as far as the image tells.
package struct FunctionOrigins {
  private let units: CompilationUnits

  /// - Parameters:
  ///   - layout: that of the image.
  ///   - bytes: the file that has the symbols.
  ///   - readsDebugInformation: whether to read DWARF, which can be a hundred times as large as the code.
  package init(_ layout: Layout, _ bytes: FileBytes, readsDebugInformation: Bool) {
    units = CompilationUnits(
      layout, bytes, readsDebugInformation: readsDebugInformation, skipsHidden: true)
  }

  /// The file of the function at `index` in the layout; `nil` if nothing tells.
  package func file(ofFunction index: Int) -> SymbolName? { units.unit(ofFunction: index) }
}
