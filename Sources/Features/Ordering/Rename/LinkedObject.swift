import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat

/// An object file, or an archive of object files, that is given to the linker.
package struct LinkedObject {
  /// The path as the user gave it.
  package let path: String
  /// The sections of code with ordered functions. The sections of an archive are in the order of its members.
  package let sections: [InputSection]

  package init(path: String, sections: [InputSection]) {
    self.path = path
    self.sections = sections
  }

  /// - Parameter isOrdered: whether a function has an entry in the order.
  /// - Throws: an error also for objects that linkers do not take as they are: code for link-time optimization, linked
  ///   images, thin archives.
  package init(_ path: String, with isOrdered: (NameKey) -> Bool) throws(Diagnostic) {
    self.path = path
    let bytes = try InputFile.bytes(path)
    do {
      guard !bytes.hasPrefix("!<thin>\n", at: 0) else { throw Self.thinArchive(path) }
      guard case .archive? = ObjectFile.Kind(recognizing: bytes) else {
        sections = try Self.sections(bytes, [path], with: isOrdered)
        return
      }
      let archive = try ArchiveFile(parsing: bytes)
      var sections: [InputSection] = []
      for member in archive.members where Self.isCode(bytes, at: member.range.indices.lowerBound) {
        sections += try Self.sections(
          FileBytes(bytes.copy(member.range.indices)),
          [path, bytes.text(member.name.indices)], with: isOrdered)
      }
      self.sections = sections
    } catch let error as ParseError {
      throw Diagnostic("\(error)", context: [path])
    } catch let error as Diagnostic {
      throw error
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  /// Whether a file that begins at `index` has code. Archives of Rust also have members with metadata.
  private static func isCode(_ bytes: FileBytes, at index: Int) -> Bool {
    ObjectFile.Kind(recognizing: bytes, at: index) == .elf || isBitcode(bytes, at: index)
  }

  private static func isBitcode(_ bytes: FileBytes, at index: Int) -> Bool {
    guard index <= bytes.count - 4 else { return false }
    return [0x4243_c0de, 0xdec0_170b].contains(
      UInt32(bigEndian: bytes.loadUnaligned(UInt32.self, at: index)))
  }

  private static func sections(
    _ bytes: FileBytes, _ context: [String], with isOrdered: (NameKey) -> Bool
  ) throws -> [InputSection] {
    if isBitcode(bytes, at: 0) { throw linkTimeCode(context) }
    guard case .elf? = ObjectFile.Kind(recognizing: bytes) else {
      throw Diagnostic(
        "not an object file for ELF linkers, and not an archive", context: context,
        hint: "after '--objects', give the object files and archives of the link")
    }
    let file = try ELFFile(parsing: bytes)
    guard file.header.type == .relocatable else {
      throw Diagnostic(
        "not an object file: it is linked already", context: context,
        hint: "leave it out: the linker moves no functions of other images")
    }
    guard !file.hasLinkTimeCode else { throw linkTimeCode(context) }
    return try file.inputSections(with: isOrdered)
  }

  private static func linkTimeCode(_ context: [String]) -> Diagnostic {
    Diagnostic(
      "unable to rename sections: the linker makes the code of this object, by link-time optimization",
      context: context, hint: "compile without -flto, or link with lld, which takes the order file")
  }

  private static func thinArchive(_ path: String) -> Diagnostic {
    Diagnostic(
      "unable to rename sections: this is a thin archive, which only names its objects",
      context: [path], hint: "give these objects instead of it ('ar t' lists them)")
  }
}
