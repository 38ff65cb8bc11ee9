import ImageModel
import OrderFileFormat
import Rendering
import Symbolication

extension ImageFacts {
  package var findings: [Finding] {
    if build?.isMadeByGo ?? false { return [kind, .language(.go, .image, .error)] }
    let format: [Finding?] = [kind, linker, functionSections, identity, symbols]
    let build: [Finding?] = [
      optimization, atLink, instrumentation, recorder, breakpointFinding, splitting,
    ]
    return (format + build).compactMap { $0 }
  }

  private var isMachO: Bool { image.layout.imageFormat == .machO }

  private var kind: Finding {
    let what = "\(image.architecture) \(isMachO ? "Mach-O" : "ELF"), \(build?.wording ?? "linked")"
    if isMachO {
      return Finding(
        .image, "format", .warning, "\(what): it can't be run or traced here",
        hint: "record an instrumented build on an Apple system: docs/how-to/APPLE.md")
    }
    return isOfThisMachine
      ? Finding(.image, "format", .ok, what)
      : Finding(
        .image, "format", .warning, "\(what): this machine can't run it",
        hint: "orderfile record --qemu -- "
          + (build?.kind == .sharedLibrary ? "PROGRAM, which loads it" : shellWord(commandWord)))
  }

  /// The path of the image in a form that is the first word of a command. A word without a slash would be looked up in
  /// `PATH`.
  private var commandWord: String {
    image.path.contains("/") ? image.path : "./\(image.path)"
  }

  private var linker: Finding {
    guard let build else {
      return Finding(
        .image, "linker", .ok, image.linker ?? "unknown: the image does not name its linker")
    }
    if build.isMadeByBOLT {
      return Finding(
        .image, "linker", .warning, "llvm-bolt has moved the code after the link",
        hint: "give the image that llvm-bolt read")
    }
    guard let linker = build.linker else {
      return Finding(
        .image, "linker", .warning,
        "unknown, perhaps GNU ld, which leaves no name in an image; GNU ld takes no order files of lld",
        hint:
          "link with -fuse-ld=lld; or write GNU ld's order files: orderfile gen --linker gnu-ld")
    }
    guard let dialect = OrderFileDialect(linkerStating: linker) else {
      return Finding(
        .image, "linker", .error, "\(linker) takes no order files",
        hint: "link with -fuse-ld=lld"
          + (RenamingLinker(stating: linker).map { "; or rename sections: \($0.command)" } ?? ""))
    }
    return dialect.isUsual
      ? Finding(.image, "linker", .ok, linker)
      : Finding(
        .image, "linker", .warning, "\(linker) takes no order files of lld",
        hint:
          "link with -fuse-ld=lld; or write its order files: orderfile gen --linker \(dialect)")
  }

  private var functionSections: Finding {
    guard let build else { return .noSectionsNeeded }
    return build.functionSections.map { .functionSections($0, image.layout.sectionsOption) }
      ?? Finding(
        .image, Finding.sectionCheck, .warning,
        "unknown: most functions have no debug information, and fewer than \(BuildFacts.FunctionSections.fewestGaps) gaps between functions show it",
        hint: "link with -Wl,-Map=app.map, and: orderfile doctor app.map")
  }

  private var identity: Finding {
    let name = isMachO ? "UUID" : "build ID"
    guard let id = image.id, id.kind != .weak else {
      return Finding(
        .image, name, .warning,
        "none: a trace of this build can't be distinguished from a trace of another build",
        hint: "link with \(isMachO ? "-Wl,-random_uuid" : "-Wl,--build-id")")
    }
    return Finding(.image, name, .ok, "\(id)")
  }

  private var symbols: Finding {
    let names = counted(image.layout.functions.count, "function name")
    let hasDWARF = build?.hasDebugInformation ?? false
    switch image.symbolSource {
    case .symbolTable:
      return Finding(.image, "symbols", .ok, names + (hasDWARF ? ", and debug information" : ""))
    case .debugInformation:
      return Finding(
        .image, "symbols", .warning, "no symbol table; \(names) in debug information",
        hint: "link without -s, and strip after ordering")
    case .debugFile(let path), .debugFileInformation(let path):
      return Finding(.image, "symbols", .ok, "stripped; \(names) in its debug file \(path)")
    case .dynamicSymbols:
      return Finding(
        .image, "symbols", .error,
        image.layout.functions.isEmpty
          ? "stripped: no function has a name"
          : "stripped: only \(counted(image.layout.functions.count, "exported function")) left with a name",
        hint:
          "link without -s and strip a copy, or give the debug file: orderfile gen --debug-file FILE"
      )
    }
  }

  private var optimization: Finding? {
    guard let facts = build?.optimization, facts.none + facts.some > 0 else { return nil }
    if facts.none == 0 {
      return Finding(
        .image, "optimization", .ok, "\(counted(facts.some, "function")) compiled with optimization"
      )
    }
    return Finding(
      .image, "optimization", .warning,
      "\(facts.none) of \(counted(facts.none + facts.some, "function")) compiled without optimization (-O0): a release build has other functions",
      hint: "compile the code that you order with -O2")
  }

  private var atLink: Finding? {
    guard let facts = build?.optimization, facts.atLink > 0 else { return nil }
    return Finding(
      .image, "link-time optimization", .ok,
      "\(counted(facts.atLink, "function")) compiled by gcc with -flto: link with GNU ld")
  }

  private static let flags = "-fsanitize-coverage=func,trace-pc-guard,pc-table"

  private var instrumentation: Finding {
    guard let guards = image.guards else {
      return Finding(.image, "instrumentation", .ok, "none, as it should be in a release build")
    }
    let count = Int(clamping: guards.size / 4)
    guard let recordable else {
      return Finding(
        .image, "instrumentation", .ok,
        "\(counted(count, "callback")): this is a build for recording, not for release")
    }
    if count > 2 * Int(clamping: max(1, recordable.functions.all)) {
      return Finding(
        .image, "instrumentation", .warning,
        "\(count) callbacks in \(counted(Int(clamping: recordable.functions.all), "function")): one at each edge, which is slow",
        hint: "compile with \(Self.flags)")
    }
    guard recordable.portion.reaches(RecordableCode.warningShare) ?? true else {
      let units = recordable.unseenUnits(keeping: 3)
      return Finding(
        .image, "instrumentation", .warning,
        "partly: \(recordable.wording)" + (units.isEmpty ? "" : "; not \(units)"),
        hint: isMachO
          ? RecordableCode.Means.remedyOfMachO
          : "compile the rest with \(Self.flags), too, or record the release build with breakpoints"
      )
    }
    return Finding(
      .image, "instrumentation", .ok,
      "\(recordable.wording): this is a build for recording, not for release")
  }

  private var recorder: Finding? {
    guard image.guards != nil else { return nil }
    let names = ["orderfile_rt_stop", "_orderfile_rt_stop"]
    let isThere = image.layout.functions.contains {
      names.contains(image.layout.name(of: $0).description)
    }
    return isThere
      ? Finding(.image, "recorder", .ok, "linked")
      : Finding(
        .image, "recorder", .error, "not linked, or without a symbol: nothing will be recorded",
        hint: "link orderfile_rt.o")
  }

  private var breakpointFinding: Finding? {
    guard !isMachO, isOfThisMachine else { return nil }
    guard let breakpoints, breakpoints > 0 else {
      return Finding(
        .image, "breakpoints", .error, "no function's address is known: no symbols, no .eh_frame",
        hint: "link without -s, and keep .eh_frame")
    }
    return Finding(.image, "breakpoints", .ok, "\(counted(breakpoints, "function")) can get one")
  }

  private var splitting: Finding? {
    guard let build, !isMachO else { return nil }
    var provisions: [String] = []
    if build.hasBlockMap { provisions.append("a map of basic blocks for clang") }
    if build.hasRelocations { provisions.append("relocations for llvm-bolt") }
    return Finding(
      .image, "splitting functions", .ok,
      provisions.isEmpty
        ? "no map of basic blocks (-fbasic-block-address-map), no relocations (-Wl,--emit-relocs); needed only for gen --split-profile"
        : provisions.joined(separator: ", "))
  }
}

extension BuildFacts {
  fileprivate var wording: String {
    switch kind {
    case .positionIndependentExecutable:
      "position-independent \(isStatic ? "static " : "")executable"
    case .fixedExecutable: "\(isStatic ? "static " : "")executable at a fixed address"
    case .sharedLibrary: "shared library"
    }
  }
}

extension Finding {
  package static func language(
    _ language: UnsupportedLanguage, _ area: Area, _ severity: Severity
  ) -> Finding {
    Finding(area, "language", severity, language.wording)
  }

  fileprivate static let sectionCheck = "function sections"

  fileprivate static let noSectionsNeeded = Finding(
    .image, sectionCheck, .ok, "linkers of Mach-O images need none")

  /// Returns what a link map shows about the sections of functions.
  package static func functionSections(ofLinkMap layout: Layout) -> Finding {
    if layout.imageFormat == .machO { return noSectionsNeeded }
    return BuildFacts.FunctionSections(ofLinkMap: layout)
      .map { functionSections($0, layout.sectionsOption) }
      ?? Finding(
        .image, sectionCheck, .warning, "unknown: this linker's map lists no functions in sections",
        hint: "link with -fuse-ld=lld -Wl,-Map=app.map")
  }

  /// Returns the known facts about the sections of functions.
  ///
  /// - Parameter option: the compiler option that gives each function a section of its own.
  fileprivate static func functionSections(
    _ sections: BuildFacts.FunctionSections, _ option: String
  ) -> Finding {
    let source =
      switch sections.source {
      case .debugInformation: "as debug information says"
      case .gaps: "as the gaps between functions show"
      case .linkMap: "as the link map says"
      }
    let what = sections.source == .gaps ? "gap" : "function"
    let have = sections.source == .gaps ? "are between sections" : "have a section of their own"
    let count = "\(sections.own) of \(counted(sections.all, what)) \(have), \(source)"
    if Share(percent: 90).isReached(by: UInt64(sections.own), of: UInt64(sections.all)) {
      return Finding(.image, sectionCheck, .ok, count)
    }
    return Finding(
      .image, sectionCheck, 2 * sections.own >= sections.all ? .warning : .error,
      "\(count): a linker moves only sections",
      hint: "compile with \(option)")
  }
}
