// Is a build with other function names a build of the recorded program?
//
// Names decide first: a build that has at least half of the recorded functions is a build of the recorded program. But
// a commit may rename half of the functions. Then the file name and the size stay, and some functions keep their names.
// Another program differs in its file name, in its size, or in all of its functions. The size is the size of the code
// or, because an instrumented build has more code, the number of functions.

import Addresses
import ImageModel
import Rendering

/// The properties that builds of one program share, whatever the names of their functions.
package struct ProgramTraits {
  private let names: Set<String>
  /// The size of the code in pages of 4 KiB, because traces state whole pages; `nil` if it is unknown, or if the build is
  /// stripped.
  private let codePages: UInt64?
  /// The number of functions; `nil` if it is unknown, or if the build is stripped.
  private let functions: UInt64?

  package init(_ image: TraceImage, libraryName: String? = nil) {
    names = Set([image.fileName, libraryName].compactMap { $0 })
    codePages = Self.pages(of: image.text.size == 0 ? [] : [image.text])
    functions = image.guardCount > 0 ? UInt64(clamping: image.guardCount) : nil
  }

  package init(_ release: ReleaseLayout) {
    let mapEnding = ".map"  // the name of a link map beside its image leads to the image's name
    let name = fileName(ofPath: release.path)
    let isMap = release.image == nil && name.hasSuffix(mapEnding)
    names = Set(
      [isMap ? String(name.dropLast(mapEnding.count)) : name, release.image?.libraryName]
        .compactMap { $0 })
    let sections = release.layout.sections.filter(\.isExecutable).map(\.range)
    let segments =
      release.mappings.filter { $0.segment == .text }.map(\.range)
      + (release.image?.segments ?? []).map(\.range).filter { segment in
        sections.contains { segment.contains($0.start) }
      }
    let isStripped = release.image?.symbolSource == .dynamicSymbols
    codePages = isStripped ? nil : Self.pages(of: segments.isEmpty ? sections : segments)
    functions = isStripped ? nil : UInt64(release.layout.functions.count)
  }

  /// Returns the number of pages from the first byte of `ranges` to the last byte; `nil` without ranges.
  private static func pages(of ranges: [AddressRange]) -> UInt64? {
    guard let start = ranges.map(\.start).min(), let end = ranges.map(\.end).max() else {
      return nil
    }
    let pages = PageSize.fourKibibytes.pages(of: AddressRange(start: start, size: end - start))
    return pages.upperBound - pages.lowerBound + 1
  }

  /// Whether two builds have a file name in common and about the same size: the smaller size is at least three quarters
  /// of the larger size.
  package func areShared(with other: Self) -> Bool {
    func areAlike(_ a: UInt64?, _ b: UInt64?) -> Bool {
      guard let a, let b else { return false }
      let (less, more) = (min(a, b), max(a, b))
      return less > 0 && more - less <= more / 4
    }
    return !names.isDisjoint(with: other.names)
      && (areAlike(codePages, other.codePages) || areAlike(functions, other.functions))
  }
}

/// The number of functions that launches used, and how many of them a build has. `main` and the C runtime do not count:
/// every program has them.
package struct FoundFunctions {
  package var found: Int
  package var all: Int

  package init(
    found: Int, all: Int
  ) {
    self.found = found
    self.all = all
  }

  /// Whether the names alone prove that the build is of the recorded program.
  package var proveProgram: Bool { 2 * found >= all }
  /// Whether enough names are found that a build with the traits of the recorded program is a build of it.
  package var supportTraits: Bool { found > 0 && 4 * found >= all }
}

extension SymbolName {
  /// Whether the name identifies a program. `main` and the C runtime do not, because every program has them.
  package var tellsProgram: Bool { !CRuntime.isPart(self) && self != "main" && self != "_main" }
}

extension Diagnostic {
  /// Returns the warning about a build that has less than half of the functions, but is taken for a build of the
  /// recorded program.
  package static func renamedFunctions(_ path: String, _ functions: FoundFunctions) -> Diagnostic {
    Diagnostic(
      "only \(functions.found) of \(counted(functions.all, "recorded function")) "
        + "(\(Percentage.share(functions.found, of: functions.all))) were found by name: this file counts as a "
        + "build of the recorded program, because it has the same file name and a similar size",
      context: [path],
      hint:
        "if functions were renamed, record a launch of this build: functions that are not found do not count"
    )
  }
}
