import ByteReading
import ImageModel
import Reporting
import Symbolication

extension RecordedImages {
  /// How much of the code of `image` could be recorded; `nil` if this is unknown, because the image was not read
  /// or does not show which functions are instrumented.
  ///
  /// - Parameter methods: the methods by which the traces recorded it.
  func recordableCode(
    of image: TraceImage, recordedBy methods: Set<Trace.Method>
  ) -> RecordableCode? {
    guard let means = RecordableCode.Means(methods), let read = self.image(for: image),
      let bytes = try? FileBytes(regularFileAt: read.path)
    else { return nil }
    return try? RecordableCode(of: read, in: bytes, by: means)
  }
}

extension LaunchInputs {
  /// How much of the code of the images in `group` could be recorded: the smallest share of several builds. `nil`
  /// if this is unknown, as for imported traces.
  ///
  /// - Parameter layout: another build's layout. If the recorded image is gone, its functions are counted, and so are
  ///   the recorded ones. As a function may be there several times in one build and once in the other, that can only
  ///   show that the share is small.
  mutating func recordableCode(
    of group: Int, countedIn layout: Layout
  ) -> RecordableCode? {
    var found: [RecordableCode] = []
    for place in groups.groups[group].images {
      let (image, methods) = (traces.images[place], traces.methods[place])
      guard let means = RecordableCode.Means(methods) else { continue }
      // The image is only looked at, so its warnings are not reported.
      images.add([image])
      if images.image(for: image) != nil {
        found += [images.recordableCode(of: image, recordedBy: methods)].compactMap { $0 }
      } else {
        let atMost = RecordableCode(means: means, count: image.guardCount, in: layout)
        if atMost.portion.reaches(RecordableCode.warningShare) == false { found.append(atMost) }
      }
    }
    return found.filter { $0.portion.all > 0 }.min { $0.portion.isLess(than: $1.portion) }
  }

  /// Warns of each image in `group` that is gone, so that it is unknown how much of its code could be recorded.
  func unreadImages(of group: Int) -> [Diagnostic] {
    groups.groups[group].images.compactMap { place in
      let image = traces.images[place]
      guard RecordableCode.Means(traces.methods[place]) != nil, images.image(for: image) == nil
      else {
        return nil
      }
      return Diagnostic(
        "the recorded image is gone: how much of its code could be recorded is unknown",
        context: [image.path], hint: "give it with --recorded")
    }
  }

  /// Warns of each image in `group` that has no ID of its own.
  func weakIDs(of group: Int) -> [Diagnostic] {
    groups.groups[group].images.compactMap { .weakID(traces.images[$0]) }
  }
}

extension RecordableCode.Means {
  init?(_ methods: Set<Trace.Method>) {
    if methods.contains(.instrumentation) {
      self = .callback
    } else if methods.contains(.breakpoints) {
      self = .breakpoint
    } else if methods.contains(.emulation) {
      self = .execution
    } else {
      return nil
    }
  }
}

extension Diagnostic {
  /// Returns a warning that much of an image could not be recorded; `nil` if enough could.
  static func partlyRecordable(_ code: RecordableCode?, path: String) -> Diagnostic? {
    guard let code, code.portion.reaches(RecordableCode.warningShare) == false else { return nil }
    let units = code.unseenUnits(keeping: 3)
    let list = units.isEmpty ? "" : "\(code.means.lack): \(units); "
    return Diagnostic(
      "only \(code.wording)", context: [path], hint: list + code.means.remedy)
  }
}

extension RecordableCode.Means {
  fileprivate var remedy: String {
    switch self {
    case .callback:
      "compile all of it with -fsanitize-coverage=func,trace-pc-guard,pc-table, or use "
        + "'orderfile record --breakpoints'"
    case .breakpoint, .execution: "record an image with its symbol table, or an instrumented build"
    }
  }
}
