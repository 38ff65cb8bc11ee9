import ByteReading
import ImageModel
import ObjectFormat
import Rendering

extension ExaminedImage {
  /// Reads what an ELF image asks of the loader; damaged parts become problems.
  init(_ file: ELFFile, path: String, name: SymbolName) {
    self.init(path: path, name: name, bytes: file.bytes, file: .elf(file))
    do throws(ParseError) { try readDynamicTable(of: file) } catch {
      problems.append(Diagnostic("unable to read libraries: \(error)", context: [path]))
    }
    limitRunPaths()
  }

  private mutating func readDynamicTable(of file: ELFFile) throws(ParseError) {
    guard let table = try ELFDynamicTable(of: file) else { return }
    let needed = try table.names(.needed)
    loads = needed.names.map { LibraryLoad(name: SymbolName(bytes: $0), kind: .required) }
    for tag in [ELFDynamicTag.filter, .auxiliary] {
      loads += try table.names(tag).names.map {
        LibraryLoad(name: SymbolName(bytes: $0), kind: .filter)
      }
    }
    problems += Diagnostic.skipped(
      needed.unknownCount, "library", plural: "libraries", "its name is outside the string table",
      in: path)
    ownName = try table.names(.soname).names.first
    runPaths = Self.folders(try table.names(.runpath).names)
    // If there is a DT_RUNPATH, the loader ignores DT_RPATH.
    if table.value(.runpath) == nil {
      inheritedRunPaths = Self.folders(try table.names(.rpath).names)
    }
    ignoresDefaultFolders = (table.value(.flags1) ?? 0) & 0x800 != 0  // DF_1_NODEFLIB
  }

  private static func folders(_ lists: [[UInt8]]) -> [[UInt8]] {
    lists.flatMap { $0.split(separator: UInt8(ascii: ":")).map { Array($0) } }
  }
}

extension Diagnostic {
  /// A warning about `count` things that were left out; empty if `count` is 0.
  static func skipped(
    _ count: Int, _ noun: String, plural: String? = nil, _ reason: String, in path: String
  ) -> [Diagnostic] {
    guard count > 0 else { return [] }
    return [
      Diagnostic("left out \(counted(count, noun, plural)): \(reason)", context: [path])
    ]
  }
}
