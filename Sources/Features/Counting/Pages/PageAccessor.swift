// Who touched a page
//
// An instruction of the loader that reads a symbol table looks a symbol up; one that reads a table of relocations, or
// touches a word that such a table names, relocates. That needs no names of the loader's functions, which
// distributions strip. The first write to a page with relocated words is always a relocation, also where the program's
// own start code does it: in static programs, and in the loader itself.

import Addresses
import ImageModel
import PagesFormat
import ProcessTracing
import Symbolication

/// Tells who touched the pages of an image.
struct PageAccessor {
  private let contents: ImageContents
  private let loaders: Set<Int>
  private let touches: PageTouches

  /// - Parameter loaders: indexes into the images of `touches`.
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
    // A static program relocates itself, as the loader does.
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

  /// What the loader reads after the first instruction of an image, too. Other accesses are on behalf of the program:
  /// the name that it passes to dlopen(3).
  private static let loaderSections: Set = [
    "ELF header", ".dynamic", ".gnu.version_r", ".gnu.version_d", ".init_array", ".fini_array",
    ".tdata",
  ]
}
