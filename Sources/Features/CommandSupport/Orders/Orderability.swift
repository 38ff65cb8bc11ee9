// The reasons why a linker can't follow an order file, as inputs show before the link, or images after the link.

import ImageModel
import OrderFileFormat
import OrderFileMatching
import Rendering
import Symbolication

extension Layout {
  /// The compiler option that gives each function a section of its own, as hints have it.
  package var sectionsOption: String {
    hasOCamlCode
      ? "ocamlopt -function-sections"
      : "-ffunction-sections (Swift: -Xfrontend -function-sections)"
  }
}

extension Diagnostic {
  /// Returns a warning that ordered functions or data share their input section with others: the linker moves only
  /// whole sections. Only a layout with input sections shows this. Returns `nil` if there is nothing to report.
  package static func sharedInputSections(
    _ parts: [Part], in layout: Layout, path: String
  ) -> Diagnostic? {
    let shared = parts.count { part in
      let function = layout.functions[part.function]
      guard let section = function.inputSection else { return false }
      return FunctionSection.isShared(layout.names[section], of: layout.names[function.name])
    }
    guard shared > 0, 2 * shared >= parts.count else { return nil }
    return Diagnostic(
      "\(shared) of \(counted(parts.count, "ordered function")) share their input section with "
        + "other functions: the linker can't move them", context: [path],
      hint: "compile with \(layout.sectionsOption)")
  }

  /// Returns a warning that the linker did not follow most of the order file; `nil` if it followed most of it.
  package static func noncompliance(
    _ check: OrderFileCheck, path: String, in layout: Layout
  ) -> Diagnostic? {
    // Entries that the build lacks do not count, because no linker could place them.
    guard check.present > 1, 2 * check.inOrder < check.present else { return nil }
    return Diagnostic(
      "the linker did not follow the order file: \(check.inOrder) of "
        + "\(counted(check.present, "present entry", "present entries")) are in the requested order",
      context: [path],
      hint: layout.imageFormat == .machO
        ? "was the image linked with '-order_file' and this file, from objects that have "
          + "MH_SUBSECTIONS_VIA_SYMBOLS?"
        : "was the image linked with this file, by a linker of its dialect, from objects compiled with "
          + "\(layout.sectionsOption)?")
  }

  /// Warns of the sections in an image or a link map that explain why the linker could not follow the order file.
  ///
  /// - Parameters:
  ///   - path: the path of the order file.
  ///   - build: the path of the image or link map.
  package static func sectionsApart(
    _ order: OrderFile, _ path: String, in layout: Layout, _ build: String,
    architecture: Architecture?
  ) -> [Diagnostic] {
    guard layout.imageFormat == .elf else { return [] }
    let sections = OrderedSections(of: order, in: layout, architecture: architecture)
    return [splitOrder(sections, order.dialect, build), unnamedSections(sections, path)]
      .compactMap { $0 }
  }

  /// Warns that several output sections split the order; `nil` if one section holds nearly all listed functions.
  private static func splitOrder(
    _ ordered: OrderedSections, _ dialect: OrderFileDialect, _ build: String
  ) -> Diagnostic? {
    let all = ordered.counts.map(\.functions).reduce(0, +)
    let sections = ordered.counts.filter { 50 * $0.functions >= all }
    guard sections.count > 1 else { return nil }
    let prefixed = sections.count { FunctionSection.isGroup($0.section.bytes) }
    var hints: [String] = []
    if prefixed > 0 {
      hints.append(
        "'-z keep-text-section-prefix' or a linker script keeps sections .text.* apart: link with "
          + "-Wl,-z,nokeep-text-section-prefix")
    }
    if prefixed + 1 < sections.count {
      hints.append(
        dialect.movesToOwnSection
          ? "__attribute__((section)) names the sections of functions: 'orderfile gen --link-map' lists these "
            + "sections, and GNU ld then moves them to the other ordered functions"
          : "__attribute__((section(NAME))) puts a function into the output section NAME: remove the attribute, or name "
            + "the section .text.NAME, so that the function is ordered with the others")
    }
    return Diagnostic(
      "the listed functions are in \(sections.count) output sections, and the linker orders each section separately: "
        + sections.map { "\($0.functions) in \($0.section)" }.joined(separator: ", "),
      context: [build], hint: hints.joined(separator: "; "))
  }

  /// Warns of functions whose sections no line of the order file names; `nil` if there are none.
  private static func unnamedSections(_ ordered: OrderedSections, _ path: String) -> Diagnostic? {
    guard ordered.inOtherSection > 0 else { return nil }
    return Diagnostic(
      "no line names the \(ordered.inOtherSection == 1 ? "section" : "sections") of "
        + "\(counted(ordered.inOtherSection, "listed function")): the linker can't move "
        + (ordered.inOtherSection == 1 ? "it" : "them"),
      context: [path],
      hint: "'orderfile gen --link-map' writes the names of sections as the link map states them")
  }

  /// Warns of entries that were not compared, because they name only sections and an image does not show the functions
  /// of a section; `nil` if there are none.
  ///
  /// - Parameter hint: how to pass the link map.
  package static func untoldSections(_ entries: Int, path: String, hint: String) -> Diagnostic? {
    guard entries > 0 else { return nil }
    return Diagnostic(
      "\(counted(entries, "entry names a section", "entries name sections")) without a function's name: only a link map "
        + "shows which functions \(entries == 1 ? "it has" : "they have")",
      context: [path], hint: hint)
  }

  /// Warns that the build lacks most of the order file; `nil` if it has at least half of the entries.
  package static func staleOrder(_ check: OrderFileCheck, _ path: String, _ layout: String)
    -> Diagnostic?
  {
    guard check.entries >= 4, 2 * check.present < check.entries else { return nil }
    return Diagnostic(
      "only \(check.present) of \(counted(check.entries, "entry", "entries")) "
        + "(\(Percentage.share(check.present, of: check.entries))) are in \(printable(layout)): the order file is out of date",
      context: [path],
      hint:
        "'orderfile verify' says what became of each entry; for a new order file, record a launch of this build and run 'orderfile gen'"
    )
  }

  /// Returns the error about an order file without any entry that is in the layout: the file is for another program, or
  /// is no order file.
  package static func foreignOrderFile(_ path: String, entries: Int, _ layout: String) -> Diagnostic
  {
    Diagnostic(
      "none of \(counted(entries, "entry", "entries")) is in \(layout)", context: [path],
      hint: "is it an order file of this program, and is the image unstripped?", severity: .mismatch
    )
  }

  /// Warns of functions that share their names with others when no object files are known; `nil` if there are
  /// none.
  ///
  /// - Parameter hasObjectFiles: whether the object files of other functions are known.
  package static func ambiguous(
    _ placing: PlacingEntries, path: String, hasObjectFiles: Bool
  ) -> Diagnostic? {
    guard let first = placing.ambiguousNames.first else { return nil }
    return Diagnostic(
      "several functions are called '\(first)'\(others(placing.ambiguousNames)): ld64 moves the first "
        + "of that name, ld64.lld all", context: [path],
      remedies: [
        hasObjectFiles
          ? Remedy(
            "object files of link-time optimization have no names that an order file can use")
          : Remedy(
            "give the image's link map, which lists the object files, with --link-map",
            option: "--link-map")
      ])
  }

  private static func others(_ names: [SymbolName]) -> String {
    names.count > 1 ? " and \(counted(names.count - 1, "other name"))" : ""
  }
}

extension ReleaseLayout {
  /// Returns this layout as a build that is compared with an order file.
  package func orderedBuild(_ architecture: Architecture?) -> OrderFile.Build {
    OrderFile.Build(fileName(ofPath: path), layout, architecture)
  }
}
