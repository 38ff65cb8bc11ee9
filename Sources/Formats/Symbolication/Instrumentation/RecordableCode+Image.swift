// Which code of an image could be recorded
//
// A function is instrumented if it calls the callback: the image's pc-table then lists an address in it. If an image
// has no such table, or one with fewer addresses than guards, its code is searched for calls. The code of a Mach-O
// image is always searched, because the table in the file lacks functions that other images may replace, such as
// Swift's generic functions: the loader fills them in. With breakpoints, a function is recordable if it can be given a
// breakpoint.
//
// Code is what symbols and unwind tables list in sections that have functions, and the bytes between, unless they
// are few enough to be padding. The following counts neither as code nor as recordable, so that the share is close to
// 100% for a program that was instrumented completely:
//
// - the C runtime's start files and linkage tables, which a prediction counts anyway;
// - the recorder;
// - what compilers make of functions after instrumentation: merged bodies, cold parts, outlined sequences.

import Addresses
import ByteReading
import Demangling
import ImageModel
import ObjectFormat

extension RecordableCode {
  /// - Parameters:
  ///   - image: the recorded image.
  ///   - bytes: the image's file.
  /// - Returns: `nil` if the image does not show which functions are instrumented.
  /// - Throws: the error in a table that tells where breakpoints can be. From damaged unwind tables no functions are
  ///   taken.
  /// - Complexity: O(*n* log *p*) for *n* functions and *p* places, and O(*b*) for *b* bytes of code if they are
  ///   searched for calls.
  package init?(
    of image: Image, in bytes: FileBytes, by means: Means
  ) throws(ParseError) {
    let code = ImageCode(of: bytes)
    var layout = image.layout
    if let code { layout = layout.addingUnnamedFunctions((try? code.frameRanges()) ?? []) }
    var places: [StatedAddress]
    switch means {
    case .execution: places = []
    case .breakpoint: places = try BreakpointPlaces(of: bytes, at: image.path).functions
    case .callback:
      places = image.callbackPlaces ?? []
      let isListed = UInt64(places.count) >= max((image.guards?.size ?? 0) / 4, 1)
      if !isListed || layout.imageFormat == .machO { places += image.callbackSites(in: bytes) }
      if places.isEmpty { return nil }
    }
    places.sort()
    let bodies = CodeBodies(layout)
    var functions = Portion()
    var size = Portion()
    var unseen: [CodeBodies.Body] = []
    for body in bodies.all {
      functions.all += 1
      size.all += body.bytes.size
      let next = places.partitioningIndex { $0 >= body.bytes.start }
      if means == .execution || next < places.count && body.bytes.contains(places[next]) {
        functions.recordable += 1
        size.recordable += body.bytes.size
      } else {
        unseen.append(body)
      }
    }
    self.init(means: means, functions: functions, bytes: size)
    let lacksMuch = size.reaches(Self.warningShare) == false
    self.unseen = CompilationUnits(layout, bytes, readsDebugInformation: lacksMuch)
      .units(of: unseen)
  }

  /// Compares the number of guards in a trace with the functions of another build, for an instrumented image that is gone.
  ///
  /// - Parameters:
  ///   - count: the number of guards, as the trace states it.
  ///   - layout: the other build's layout.
  package init(instrumented count: Int, in layout: Layout) {
    let all = CodeBodies(layout).all.count
    self.init(
      means: .callback,
      functions: Portion(recordable: UInt64(clamping: min(count, all)), all: UInt64(all)),
      bytes: nil)
  }
}

/// The pieces of code in a layout that count. They do not overlap.
struct CodeBodies {
  struct Body {
    var bytes: AddressRange
    /// An index into the layout's functions; `nil` for code between them.
    var function: Int?
  }

  /// Ascending by address.
  private(set) var all: [Body] = []

  /// Whether the bytes between two functions may be there to align the second one. Up to 63 bytes always may.
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

  /// Whether a body is code that does not count.
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
      if hasRecorder, RecorderFunctions.contain(bare) { return true }
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
