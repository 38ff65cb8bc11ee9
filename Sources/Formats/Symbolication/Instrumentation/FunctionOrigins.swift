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
    units = CompilationUnits(layout, bytes, readsDebugInformation: readsDebugInformation)
  }

  /// The file of the function at `index` in the layout; `nil` if nothing tells.
  ///
  /// - Parameter byNeighbors: whether a function of which nothing states the file is from that of the functions before and
  ///   behind it, if these are from one. It is so where the linker left the functions of a file together, not in a layout
  ///   by an order file.
  package func file(ofFunction index: Int, byNeighbors: Bool) -> SymbolName? {
    byNeighbors ? units.unit(ofFunction: index) : units.statedUnit(ofFunction: index)
  }
}
