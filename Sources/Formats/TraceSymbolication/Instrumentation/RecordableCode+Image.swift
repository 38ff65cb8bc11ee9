// Which code of an image could be recorded
//
// A function is instrumented if it calls the callback: the image's pc-table then lists an address in the function. If
// an image has no such table, or one with fewer addresses than guards, its code is searched for calls. The code of a
// Mach-O image is always searched, because the table in the file lacks functions that other images may replace, such as
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
import Symbolication

extension RecordableCode {
  /// - Parameters:
  ///   - image: the recorded image.
  ///   - bytes: the image's file.
  /// - Returns: `nil` if the image does not show which functions are instrumented.
  /// - Throws: the error in a table that shows where breakpoints can be. Damaged unwind tables count as empty.
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
