// Finds out who touched a page first
//
// An instruction of the loader that reads a symbol table is part of a look-up. An instruction of the loader that reads
// a table of relocations, or touches a word that such a table names, is part of a relocation. These rules need no names
// of the loader's functions, which distributions strip. The first write to a page with relocated words is always a
// relocation, also where the program's own start code relocates: in static programs, and in the loader itself.

import Addresses
import ImageModel
import PagesFormat
import ProcessTracing
import Symbolication

/// Finds the accessors of an image's pages.
struct PageAccessor {
  private let contents: ImageContents
  private let loaders: Set<Int>
  private let touches: PageTouches

  /// - Parameter loaders: the indexes of the loaders among the images of `touches`.
  init(_ contents: ImageContents, loaders: Set<Int>, _ touches: PageTouches) {
    self.contents = contents
    self.loaders = loaders
    self.touches = touches
  }

  func accessor(
    of touch: PageTouches.Touch, at address: StatedAddress, in section: String?
  ) -> Accessor {
    guard touch.access != .kernel, let instruction = touch.instruction else { return .kernel }
    guard touch.access != .execute, case .inImage(let image, _) = instruction else {
      return .program
    }
    // Like the loader, a static program relocates itself.
    let relocatesItself =
      image == touch.image && contents.interpreter == nil && !touch.isLoading
      && isProgram(touch.image)
    guard loaders.contains(image) || relocatesItself else { return .program }
    let section = section ?? ""
    if Self.isRelocationTable(section) || contents.isRelocated(at: address) { return .relocation }
    guard !relocatesItself else { return .program }
    if section == ".got" || section == ".got.plt" { return .relocation }
    if Self.lookUpSections.contains(section) { return .lookUp }
    return touch.isLoading || Self.loaderSections.contains(section) ? .loader : .program
  }

  private func isProgram(_ image: Int) -> Bool {
    touches.images[image].path == touches.program || loaders.contains(image)
  }

  private static func isRelocationTable(_ section: String) -> Bool {
    [".rela.", ".rel.", ".relr."].contains { section.hasPrefix($0) }
  }

  private static let lookUpSections: Set = [
    ".dynsym", ".dynstr", ".gnu.hash", ".hash", ".gnu.version",
  ]

  /// Sections that the loader itself reads even after the first instruction of an image. It accesses other sections on
  /// behalf of the program, to read the name that the program passes to dlopen(3), for example.
  private static let loaderSections: Set = [
    "ELF header", ".dynamic", ".gnu.version_r", ".gnu.version_d", ".init_array", ".fini_array",
    ".tdata",
  ]
}
