import CommandSupport
import ImageModel
import Rendering
import Symbolication

/// The functions of two layouts that the recorded build lacks.
struct NewLayoutFunctions {
  private let reference: NewCode.Reference
  let before: NewFunctions?
  let after: NewFunctions?

  /// - Parameter builds: the layouts of all recorded builds; `nil` if one of them is unknown.
  init(_ layouts: ComparedLayouts, recordedIn builds: [Layout]?) {
    let (old, new) = (layouts.before.layout, layouts.after.layout)
    reference = builds == nil ? .otherLayout : .recordedImage
    before = builds.map { NewFunctions(in: old, lackedBy: $0) }
    after = NewFunctions(in: new, lackedBy: builds ?? [old])
  }

  func document(_ layouts: ComparedLayouts) -> NewCode {
    NewCode(
      comparedWith: reference,
      before: before.map { NewCode.Side($0, in: layouts.before.layout) },
      after: after.map { NewCode.Side($0, in: layouts.after.layout) })
  }

  /// Warns of a layout with much code that the recorded build lacks.
  func warnings(_ layouts: ComparedLayouts) -> [Diagnostic] {
    guard reference == .recordedImage else { return [] }
    return [(before, layouts.before.path), (after, layouts.after.path)].compactMap { side, path in
      guard let side, side.allBytes > 0,
        !RecordableCode.warningShare.isReached(by: side.allBytes - side.bytes, of: side.allBytes)
      else { return nil }
      let percent = Percentage.of(side.bytes, side.allBytes) ?? 0
      return Diagnostic(
        "the recorded build lacks \(counted(side.functions.count, "function")) of it, "
          + "\(percent)% of its code: whether a launch runs them is unknown",
        context: [path], hint: "record a build of the same sources")
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
  /// The layouts of the recorded images in `group`, with their names; `nil` if one is gone or stripped.
  mutating func recordedLayouts(of group: Int, _ layouts: ComparedLayouts) -> [Layout]? {
    var found: [Layout] = []
    for place in groups.groups[group].images {
      let image = traces.images[place]
      if let same = [layouts.before, layouts.after].first(where: { $0.isImage(image) }) {
        found.append(same.layout)
        continue
      }
      // The image is only looked at, so its warnings are not reported.
      images.add([image])
      guard let read = images.image(for: image), read.symbolSource != .dynamicSymbols else {
        return nil
      }
      found.append(read.layout)
    }
    return found
  }
}
