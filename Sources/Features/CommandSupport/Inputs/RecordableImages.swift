import ByteReading
import ImageModel
import TraceSymbolication

extension RecordedImages {
  /// Returns how much of the code of `image` could be recorded, as its trace states, or else as the image shows.
  /// Returns `nil` if this is unknown, because the image was not read or does not show which functions are
  /// instrumented.
  ///
  /// - Parameter methods: the methods by which the traces recorded the image.
  package mutating func recordableCode(
    of image: TraceImage, recordedBy methods: Set<Trace.RecordingMethod>
  ) -> RecordableCode? {
    guard let means = RecordableCode.Means(methods) else { return nil }
    if let stated = image.recordable, stated.means == means { return stated }
    return recordableCode(of: image, by: means)
  }
}

/// How much of the code of a group of images could be recorded.
package struct RecordableShare {
  /// The share of the build with the smallest share; `nil` if no share is known, as for imported traces.
  package var code: RecordableCode?
  /// The recorded images whose share is unknown because the images are gone.
  package var unknown: [TraceImage] = []
  /// Whether all images were recorded by other tools.
  var isImported = true

  /// Why no share is known; `nil` if a share is known.
  package var unknownReason: RecordableUnknown? {
    if code != nil { return nil }
    if isImported { return .importedTrace }
    return unknown.isEmpty ? .notShownByImage : .recordedImageGone
  }

  /// Warns of each image that is gone, so that it is unknown how much of its code could be recorded.
  package var warnings: [Diagnostic] {
    unknown.map {
      Diagnostic(
        "the recorded image is no longer at this path: how much of its code could be recorded is unknown",
        context: [$0.path], remedies: [.givenAsRecorded("give its new path")])
    }
  }
}

extension LaunchInputs {
  /// Returns how much of the code of the images in `group` could be recorded.
  ///
  /// - Parameter layout: the layout of another build. If the trace does not state the share and the recorded image is
  ///   gone, the guards in the trace are compared with the functions of `layout`. One build may have several copies of
  ///   a function and the other build one copy, so the comparison can only show that the share is small. Breakpoints
  ///   are not compared: they are on nearly all functions of their build, and a smaller number than in `layout` only
  ///   shows that the other build has more functions.
  package mutating func recordableShare(of group: Int, countedIn layout: Layout) -> RecordableShare
  {
    var share = RecordableShare()
    var found: [RecordableCode] = []
    for place in builds.groups.groups[group].images {
      let (image, methods) = (traces.images[place], traces.recordingMethods[place])
      guard let means = RecordableCode.Means(methods) else { continue }
      share.isImported = false
      // The image is read only for its share, so its warnings are not reported.
      if image.recordable == nil { images.add([image]) }
      if let code = images.recordableCode(of: image, recordedBy: methods) {
        found.append(code)
      } else if images.image(for: image) == nil {
        let atMost = RecordableCode(instrumented: image.guardCount, in: layout)
        if means == .callback, atMost.portion.reaches(RecordableCode.warningShare) == false {
          found.append(atMost)
        } else {
          share.unknown.append(image)
        }
      }
    }
    share.code = found.filter { $0.portion.all > 0 }.min { $0.portion.isLess(than: $1.portion) }
    return share
  }
}

extension RecordableCode.Means {
  init?(_ methods: Set<Trace.RecordingMethod>) {
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
  ///
  /// - Parameter format: the image's format; `nil` if unknown.
  package static func partlyRecordable(
    _ code: RecordableCode?, path: String, format: ImageFormat?
  ) -> Diagnostic? {
    guard let code, code.portion.reaches(RecordableCode.warningShare) == false else { return nil }
    let units = code.unseenUnits(keeping: 3)
    let list = units.isEmpty ? "" : "\(code.means.lack): \(units); "
    return Diagnostic(
      "only \(code.wording)", context: [path], hint: list + code.means.remedy(format))
  }
}

extension RecordableCode.Means {
  /// The remedy for code without callbacks in images of Mach-O. `record --breakpoints` is not available there.
  static let remedyOfMachO =
    "compile all of it with -fsanitize-coverage=func,trace-pc-guard,pc-table; in Xcode, name the settings file in "
    + "XCODE_XCCONFIG_FILE: the base configuration of a project does not reach packages and pods"

  fileprivate func remedy(_ format: ImageFormat?) -> String {
    switch self {
    case .callback where format == .machO: Self.remedyOfMachO
    case .callback:
      "compile all of it with -fsanitize-coverage=func,trace-pc-guard,pc-table, or use "
        + "'orderfile record --breakpoints'"
    case .breakpoint:
      "record an image with its symbol table, or an instrumented build; functions of assembly need "
        + "a type ('.type NAME, %function')"
    case .execution: "record an image with its symbol table, or an instrumented build"
    }
  }
}

extension Diagnostic {
  /// Warns of an image without an ID of its own; `nil` if it has one.
  package static func weakID(
    _ image: TraceImage, _ format: ImageFormat = .elf
  ) -> Diagnostic? {
    guard image.id?.kind == .weak else { return nil }
    let identity = format.identity
    return Diagnostic(
      "missing \(identity.name): only its \(identity.substitute) can distinguish it from other builds",
      context: [image.path], hint: identity.hint)
  }
}
