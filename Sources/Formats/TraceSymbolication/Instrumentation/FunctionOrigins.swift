import ByteReading
import ImageModel

/// The object files or source files that the functions of an image come from.
package struct FunctionOrigins {
  private let units: CompilationUnits

  /// - Parameters:
  ///   - layout: the image's.
  ///   - bytes: the file that has the symbols.
  ///   - readsDebugInformation: whether to read DWARF, which can be a hundred times as large as the code.
  package init(_ layout: Layout, _ bytes: FileBytes, readsDebugInformation: Bool) {
    units = CompilationUnits(layout, bytes, readsDebugInformation: readsDebugInformation)
  }

  /// The file of the function at `index` in the layout; `nil` if it is unknown.
  ///
  /// - Parameter byNeighbors: whether a function whose file is not stated counts as from the file of the functions
  ///   before and after it, if these are from one file. This assumption holds where the linker left the functions of a
  ///   file together, but not in a layout by an order file.
  package func file(ofFunction index: Int, byNeighbors: Bool) -> SymbolName? {
    byNeighbors ? units.unit(ofFunction: index) : units.statedUnit(ofFunction: index)
  }
}
