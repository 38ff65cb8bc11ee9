// The owners of functions
//
// The owner of a function is the module that its mangled name states; else the archive, the object file or the source
// file that it comes from. If a symbol table or debug information states the file, that is true in any layout. But an
// ELF symbol table states no file for global functions, and their neighbors show it only if the linker left the
// functions of each file together. So the layout before decides for both layouts: a function of the layout after has
// the owner that its symbol has in the layout before. A symbol of functions in several files shows no owner.
//
// A compiler that compiles a whole module at once states one of its source files for all of them. So a function whose
// name states no module belongs to the module of its file, if most names of this file state the same one.

import CommandSupport
import Demangling
import ImageModel
import TraceSymbolication

extension ReleaseLayout {
  /// Returns the owners of the layout's functions, in the order of the functions.
  ///
  /// - Parameters:
  ///   - before: the layout from which the functions were moved; `nil` if there is no other layout.
  ///   - isOrdered: whether it is known that the linker followed an order file.
  package func owners(before: ReleaseLayout?, isOrdered: Bool) -> [FunctionOwner] {
    let known = before?.filesBySymbol ?? [:]
    let files = files(byNeighbors: before == nil && !isOrdered, else: known)
    let modules = layout.functions.map { function in
      moduleName(ofMangled: layout.name(of: function)).map { SymbolName($0) }
    }
    let modulesOfFiles = FunctionOwner.modulesByFile(files, modules)
    return zip(modules, files).map { module, file in
      FunctionOwner(module: module ?? file.flatMap { modulesOfFiles[$0] }, file: file)
    }
  }

  /// The files of the symbols that only one file has.
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
