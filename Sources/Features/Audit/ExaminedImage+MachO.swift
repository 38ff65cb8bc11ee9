import ByteReading
import ImageModel
import ObjectFormat

extension ExaminedImage {
  /// Reads what a Mach-O image asks of the loader; damaged parts become problems.
  init(_ file: MachOFile, path: String, name: SymbolName) {
    self.init(path: path, name: name, bytes: file.bytes, file: .machO(file))
    do throws(ParseError) {
      loads = try file.libraryLoads().map {
        LibraryLoad(name: SymbolName(bytes: $0.name), kind: AuditedLibrary.LoadKind($0.kind))
      }
      runPaths = try file.runPaths()
    } catch {
      problems.append(Diagnostic("unable to read libraries: \(error)", context: [path]))
    }
    limitRunPaths()
  }
}

extension AuditedLibrary.LoadKind {
  fileprivate init(_ kind: MachOLibraryLoad.Kind) {
    self =
      switch kind {
      case .required: .required
      case .weak: .weak
      case .reexported: .reexported
      case .upward: .upward
      case .lazy: .lazy
      case .delayedInitialization: .delayedInitialization
      }
  }
}
