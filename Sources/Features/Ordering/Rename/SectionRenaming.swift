// Ordering without an order file: the sections of the startup functions get names by which the linker places them.
//
// A section is found by the symbols in it, and not by its own name, because `f` may be in `.text.f`, in
// `.text.unlikely.f` or in `.text.startup.f`. All sections of a name get the same new name, in whichever object they
// are. So all copies of a function in a COMDAT group are renamed alike, and it makes no difference which copy the
// linker keeps. As with lld's order files, all local functions of a name move.

import ByteReading
import ImageModel
import ObjectFormat
import OrderFileFormat
import Rendering

/// The new names of the sections of ordered functions, by which a linker places these functions.
package struct SectionRenaming {
  package let linker: RenamingLinker
  let objects: [LinkedObject]
  /// The new name of each renamed section, by the old name.
  private let newNames: [NameKey: [UInt8]]
  /// The entries of the functions that the linker places, in the order in which it places them.
  package let entries: [OrderFileEntry]
  /// The entries of the functions that the linker does not place, with the reasons.
  package let leftOut: [(entry: OrderFileEntry, reason: Reason)]

  package enum Reason: String {
    case noObject = "no given object has a section with this function"
    case shared = "its section also has other functions"
    case otherName = "its section is not named for the function"
    case unwritable = "objcopy can't rename a section with ',' or '=' in its name"
  }

  /// - Parameters:
  ///   - order: the entries of the order, which name symbols.
  ///   - objects: the objects and archives in the order of the link.
  /// - Throws: `mismatch` if no function can be placed.
  /// - Complexity: O(*n* log *n*) for *n* bytes of symbols, on average.
  package init(
    _ order: [OrderFileEntry], for linker: RenamingLinker, objects: [LinkedObject]
  ) throws(Diagnostic) {
    self.linker = linker
    self.objects = objects
    /// The place of each symbol in `wanted`. Each symbol is there once.
    var places: [NameKey: Int] = [:]
    let wanted = order.filter { entry in
      let key = NameKey(entry.symbol)
      guard places[key] == nil else { return false }
      places[key] = places.count
      return true
    }
    /// For each section name, the first ordered function in a section of this name, and the function's place in the
    /// order.
    var first: [NameKey: (place: Int, section: InputSection, function: ArraySlice<UInt8>)] = [:]
    var reasons = [Reason?](repeating: .noObject, count: wanted.count)
    for section in objects.lazy.flatMap(\.sections) {
      let key = NameKey(section.name)
      for symbol in section.symbols {
        guard let place = places[NameKey(symbol)] else { continue }
        let (function, reason) = Self.function(of: section, symbol)
        guard let function else {
          if reasons[place] != nil { reasons[place] = reason }
          continue
        }
        reasons[place] = nil
        if first[key].map({ place < $0.place }) ?? true {
          first[key] = (place, section, function)
        }
      }
    }
    let sorted = first.values.sorted {
      $0.place != $1.place
        ? $0.place < $1.place : $0.section.name.lexicographicallyPrecedes($1.section.name)
    }
    let names = linker.names(of: sorted.map { ($0.function, $0.section.size) })
    var newNames: [NameKey: [UInt8]] = [:]
    for (old, new) in zip(sorted, names) { newNames[NameKey(old.section.name)] = new }
    self.newNames = newNames
    leftOut = zip(wanted, reasons).compactMap { entry, reason in reason.map { (entry, $0) } }
    entries =
      linker.sortsInputSections
      ? zip(wanted, reasons).filter { $0.1 == nil }.map(\.0)
      : Self.entries(wanted, places, inGroups: newNames, of: objects)
    guard !entries.isEmpty else {
      throw Diagnostic(
        "no section to rename: \(Self.counts(leftOut.map(\.reason)))",
        context: objects.prefix(1).map(\.path),
        hint: "compile with -ffunction-sections, and give all objects and archives of the link",
        severity: .mismatch)
    }
  }

  /// Returns the entries, each once: group by group, and within a group in the order of the sections in `objects`.
  ///
  /// - Parameter groups: the group of each section, by the section's name.
  private static func entries(
    _ order: [OrderFileEntry], _ places: [NameKey: Int], inGroups groups: [NameKey: [UInt8]],
    of objects: [LinkedObject]
  ) -> [OrderFileEntry] {
    var isListed: Set<Int> = []
    var listed: [(group: [UInt8], entry: OrderFileEntry)] = []
    for section in objects.lazy.flatMap(\.sections) {
      guard let group = groups[NameKey(section.name)] else { continue }
      for place in section.symbols.compactMap({ places[NameKey($0)] })
      where isListed.insert(place).inserted {
        listed.append((group, order[place]))
      }
    }
    // Sorting by offsets, too, keeps the order within a group.
    return listed.enumerated().sorted {
      $0.element.group != $1.element.group
        ? $0.element.group.lexicographicallyPrecedes($1.element.group) : $0.offset < $1.offset
    }.map(\.element.entry)
  }

  /// Returns the function that `section` is named for; `nil`, with the reason, if the section can't be renamed.
  private static func function(
    of section: InputSection, _ symbol: [UInt8]
  ) -> (ArraySlice<UInt8>?, Reason?) {
    if FunctionSection.isShared(section.name[...], of: symbol[...]) { return (nil, .shared) }
    guard let function = FunctionSection.function(of: section.name[...]) else {
      return (nil, .otherName)
    }
    let isWritable = !section.name.contains {
      $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\n")
    }
    return isWritable ? (function, nil) : (nil, .unwritable)
  }

  private static func counts(_ reasons: [Reason]) -> String {
    let names = reasons.map { NameWithReason(name: "", reason: $0.rawValue) }
    return names.byReason.map { "\(counted($0.count, "function")): \($0.reason)" }
      .joined(separator: "; ")
  }

  /// Returns the old and the new names of the sections of `object` that get another name, each once, ascending.
  package func renamed(in object: LinkedObject) -> [(old: [UInt8], new: [UInt8])] {
    var seen: Set<NameKey> = []
    return object.sections.compactMap { section in
      let key = NameKey(section.name)
      guard let new = newNames[key], new != section.name, seen.insert(key).inserted else {
        return nil
      }
      return (section.name, new)
    }.sorted { $0.old.lexicographicallyPrecedes($1.old) }
  }

  /// The number of sections that are renamed, each name once.
  var sectionCount: Int { newNames.count }

  /// The warning about startup functions that share a section with other functions; `nil` if no startup function does.
  package var sharedSections: Diagnostic? {
    let count = leftOut.count { $0.reason == .shared }
    guard count > 0 else { return nil }
    return Diagnostic(
      "\(counted(count, "startup function")) can't be moved, because the section also has other functions",
      hint: "compile with -ffunction-sections")
  }
}
