import CommandSupport
import ImageModel
import Rendering
import TraceSymbolication

/// The functions of the layouts that the recorded build lacks.
struct NewLayoutFunctions {
  private let reference: NewCode.Reference
  /// The new functions of each layout; `nil` if they are unknown.
  let functions: [NewFunctions?]

  /// - Parameter builds: the layouts of all recorded builds; `nil` if one of these layouts is unknown.
  init(_ layouts: PredictedLayouts, recordedIn builds: [Layout]?) {
    guard let builds else {
      reference = .otherLayout
      functions = layouts.all.enumerated().map { place, release in
        place == 0 ? nil : NewFunctions(in: release.layout, lackedBy: [layouts.first.layout])
      }
      return
    }
    reference = .recordedImage
    functions = layouts.all.map { NewFunctions(in: $0.layout, lackedBy: builds) }
  }

  /// Returns the new code of the first and the last layout.
  func document(_ layouts: PredictedLayouts) -> NewCode {
    let sides = zip(layouts.all, functions).map { release, new in
      new.map { NewCode.Side($0, in: release.layout) }
    }
    return NewCode(comparedWith: reference, before: sides[0], after: sides[sides.count - 1])
  }

  /// Warns of a layout with much code that the recorded build lacks.
  func warnings(_ layouts: PredictedLayouts) -> [Diagnostic] {
    guard reference == .recordedImage else { return [] }
    return zip(layouts.all, functions).compactMap { release, new in
      guard let new, new.allBytes > 0,
        !RecordableCode.warningShare.isReached(by: new.allBytes - new.bytes, of: new.allBytes)
      else { return nil }
      let percent = Percentage.of(new.bytes, new.allBytes) ?? 0
      return Diagnostic(
        "the recorded build lacks \(counted(new.functions.count, "function")) of this layout, "
          + "\(percent)% of its code: whether a launch runs this code is unknown",
        context: [release.path], hint: "record a build of the same sources")
    }
  }
}

extension NewCode.Side {
  fileprivate init(_ new: NewFunctions, in layout: Layout) {
    self.init(
      functions: new.functions.count, bytes: new.bytes, allBytes: new.allBytes,
      largest: new.functions.prefix(10).map { layout.name(of: layout.functions[$0]) })
  }
}

extension LaunchInputs {
  /// Returns the layouts of the recorded images in `group`, with the names of functions; `nil` if an image is gone or
  /// stripped.
  mutating func recordedLayouts(of group: Int, _ layouts: PredictedLayouts) -> [Layout]? {
    var found: [Layout] = []
    for image in builds.images(of: group) {
      if let same = layouts.all.first(where: { $0.isImage(image) }) {
        found.append(same.layout)
        continue
      }
      // The image is read only for its layout, so its warnings are not reported.
      images.add([image])
      guard let read = images.image(for: image), read.symbolSource != .dynamicSymbols else {
        return nil
      }
      found.append(read.layout)
    }
    return found
  }
}
