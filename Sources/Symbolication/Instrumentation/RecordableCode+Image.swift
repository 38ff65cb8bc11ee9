// Which code of an image could be recorded
//
// An instrumented function is one that calls back: a place of the image's pc-table lies in it. Images without that
// table are searched for the calls, and so are those of Mach-O: there the loader fills in what other images may
// replace, as generic functions of Swift, so that the table in the file does not tell. With breakpoints a function
// counts that can be given a breakpoint.
//
// What counts as code is what symbols and unwinding tables know of the sections that have functions, and runs
// between these that are too long to align what comes behind them. Left out on both sides, so that a program of which everything
// was instrumented comes close to all of it:
//
// - the C runtime's start files and linkage tables, which a prediction counts anyway;
// - the recorder;
// - what compilers make of functions behind the instrumentation: merged bodies, cold parts, outlined sequences.

import Addresses
import ByteReading
import Demangling
import ImageModel
import ObjectFormat

extension RecordableCode {
  /// - Parameters:
  ///   - image: the recorded one.
  ///   - bytes: its file.
  /// - Returns: `nil` if nothing in the image tells which functions are instrumented.
  /// - Throws: what is wrong with tables that the image's layout does not need.
  /// - Complexity: O(*n* log *p*) for *n* functions and *p* places, and O(*b*) for *b* bytes of code where
  ///   calls are searched.
  package init?(
    of image: Image, in bytes: FileBytes, by means: Means
  ) throws(ParseError) {
    let code = ImageCode(of: bytes)
    var layout = image.layout
    if let code { layout = layout.addingUnnamedFunctions(try code.frameRanges()) }
    var places: [StatedAddress]
    switch means {
    case .breakpoint: places = try BreakpointPlaces(of: bytes, at: image.path).functions
    case .callback:
      places = image.callbackPlaces ?? []
      if places.isEmpty || layout.imageFormat == .machO { places += image.callbackSites(in: bytes) }
      if places.isEmpty { return nil }
    }
    places.sort()
    let bodies = CodeBodies(layout)
    var all = Amount()
    var recordable = Amount()
    var unseen: [CodeBodies.Body] = []
    for body in bodies.all {
      all.add(body.bytes.size)
      let next = places.partitioningIndex { $0 >= body.bytes.start }
      if next < places.count, body.bytes.contains(places[next]) {
        recordable.add(body.bytes.size)
      } else {
        unseen.append(body)
      }
    }
    self.init(means: means, all: all, recordable: recordable)
    let lacksMuch = share.map { $0 < Self.warningShare } ?? false
    self.unseen = CompilationUnits(layout, bytes, readsDebugInformation: lacksMuch)
      .units(of: unseen)
  }

  /// Where the recorded image is gone: as many functions as the trace says, of those of another build of it.
  package init(means: Means, count: Int, in layout: Layout) {
    let all = CodeBodies(layout).all.count
    self.init(
      means: means, all: Amount(functions: all), recordable: Amount(functions: min(count, all)))
  }
}

extension RecordableCode.Amount {
  mutating func add(_ size: UInt64) {
    functions += 1
    let (sum, overflow) = bytes.addingReportingOverflow(size)
    bytes = overflow ? .max : sum
  }
}

/// The pieces of code of a layout that count, each byte once.
struct CodeBodies {
  struct Body {
    var bytes: AddressRange
    /// Index into the layout's functions; `nil` for code between them.
    var function: Int?
  }

  /// Ascending by address.
  private(set) var all: [Body] = []

  /// Whether a run between functions may be there to align the second one; up to 63 bytes any may.
  private static func isPadding(from start: StatedAddress, to end: StatedAddress) -> Bool {
    let size = end.rawValue - start.rawValue
    let alignment = UInt64(1) << end.rawValue.trailingZeroBitCount
    return size < max(alignment, 64)
  }

  init(_ layout: Layout) {
    let hasRecorder = layout.functions.contains { isCallback(layout.names[$0.name]) }
    var end = StatedAddress(rawValue: 0)
    var section: UInt32?
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      index = aliases.upperBound
      let widest = layout.functions[aliases.upperBound - 1]
      let range = layout.sections[Int(widest.section)].range
      guard layout.sections[Int(widest.section)].isExecutable, range.contains(widest.address) else {
        continue
      }
      let next = index < layout.functions.count ? layout.functions[index].address : range.end
      let reach =
        widest.size.map { AddressRange(start: widest.address, size: $0).end } ?? next
      let start = max(widest.address, end)
      let isContinued = section == widest.section
      if isContinued, layout.imageFormat == .elf, widest.address > end,
        !Self.isPadding(from: end, to: widest.address)
      {
        all.append(Body(bytes: AddressRange(end, widest.address), function: nil))
      }
      end = max(end, min(reach, range.end))
      section = widest.section
      guard end > start, !Self.isLeftOut(aliases, of: layout, hasRecorder: hasRecorder) else {
        continue
      }
      all.append(Body(bytes: AddressRange(start, end), function: aliases.upperBound - 1))
    }
  }

  /// Whether a body is no code that a project compiles.
  private static func isLeftOut(
    _ aliases: Range<Int>, of layout: Layout, hasRecorder: Bool
  ) -> Bool {
    let section = layout.sections[Int(layout.functions[aliases.lowerBound].section)]
    if section.isLinkageTable || section.name == CRuntime.startSection
      || section.name == CRuntime.endSection
    {
      return true
    }
    // A body may have thousands of names.
    return aliases.prefix(64).contains { index in
      let function = layout.functions[index]
      let name = layout.names[function.name]
      if CRuntime.isPart(SymbolName(bytes: name)) || isOutlined(name) { return true }
      let isMachO = layout.imageFormat == .machO
      let bare = isMachO ? name.dropFirst() : name
      if ["sancov.module_ctor", "__sanitizer_cov_"].contains(where: { bare.starts(with: $0.utf8) })
      {
        return true
      }
      if hasRecorder, bare.starts(with: "orderfile_".utf8) { return true }
      // A Mach-O image may say no more of a local name than that no other image can use it.
      if hasRecorder, function.isLocal || isMachO, bare.starts(with: "of_".utf8) { return true }
      let part = NameEnding(of: Array(name), in: 0..<name.count).part
      return part == .mergedBody || part == .cold
    }
  }
}

extension AddressRange {
  fileprivate init(_ start: StatedAddress, _ end: StatedAddress) {
    self.init(start: start, size: end.rawValue - start.rawValue)
  }
}
