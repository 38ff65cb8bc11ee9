// Whose is a function?
//
// Its module by its mangled name; else the archive, the object file or the source file that it comes from. What states the
// file is true of any layout. But an ELF symbol table states none for global functions, and their neighbors tell only where
// the linker left the functions of a file together. So the layout before decides for both: a function of the layout after
// is whose it is before, by its symbol. A symbol that belongs to functions of several files there tells nothing.

import CommandSupport
import Demangling
import ImageModel
import Symbolication

extension ReleaseLayout {
  /// The owners of the layout's functions, parallel to them.
  ///
  /// - Parameters:
  ///   - before: the layout from which the functions were moved; `nil` if this one is the only one.
  ///   - isOrdered: whether it is known that the linker followed an order file.
  func owners(before: ReleaseLayout?, isOrdered: Bool) -> [FunctionOwner] {
    let known = before?.filesBySymbol ?? [:]
    return files(byNeighbors: before == nil && !isOrdered, else: known).enumerated().map {
      index, file in
      let module = moduleName(ofMangled: layout.name(of: layout.functions[index]))
      return FunctionOwner(module: module.map { SymbolName($0) }, file: file)
    }
  }

  /// The files of the functions whose symbol is only in one file.
  private var filesBySymbol: [SymbolName: SymbolName] {
    var files: [SymbolName: SymbolName?] = [:]
    for (function, file) in zip(layout.functions, self.files(byNeighbors: true, else: [:])) {
      guard let name = layout.symbolName(of: function) else { continue }
      if let other = files.updateValue(file, forKey: name), other != file {
        files[name] = .some(nil)
      }
    }
    return files.compactMapValues { $0 }
  }

  private func files(byNeighbors: Bool, else known: [SymbolName: SymbolName]) -> [SymbolName?] {
    let origins = bytes.map { FunctionOrigins(layout, $0, readsDebugInformation: false) }
    return layout.functions.indices.map { index in
      let function = layout.functions[index]
      if let file = function.objectFile ?? function.compiledObjectFile {
        return layout.names.name(file)
      }
      if let file = origins?.file(ofFunction: index, byNeighbors: byNeighbors) { return file }
      return known.isEmpty ? nil : layout.symbolName(of: function).flatMap { known[$0] }
    }
  }
}
