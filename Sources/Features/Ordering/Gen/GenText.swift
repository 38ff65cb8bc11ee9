import FunctionOrder
import ImageModel
import Rendering

/// The text report of an order file: one paragraph that counts the functions in the file, and those left out.
package struct GenText {
  private let image: OrderedImage
  private let listsMissing: Bool
  private let names: NameWording

  /// - Parameter listsMissing: whether to list each function that was left out.
  package init(
    _ image: OrderedImage, listsMissing: Bool = false, names: @escaping NameWording = mangled
  ) {
    self.image = image
    self.listsMissing = listsMissing
    self.names = names
  }

  package var text: String {
    var text = "ordered \(image.functions.resolved) of "
    text += counted(image.recording.functions, "recorded function")
    if image.recording.launches > 1 { text += " of \(image.recording.launches) launches" }
    if image.functions.textBytes > 0 {
      text +=
        " (\(ByteCount(image.functions.startupBytes).wording) of \(ByteCount(image.functions.textBytes).wording) of code)"
    }
    if image.functions.untracedInitializers > 0 {
      text +=
        ", and \(counted(image.functions.untracedInitializers, "initializer")) that no trace recorded,"
    }
    text +=
      " in \(counted(image.file.entries, "entry", "entries"))"
      + (image.recording.launches > 1 ? ", \(image.file.strategy)" : "")
      + ": \(printable(image.file.path))" + next
    if let linker = image.file.assumedLinker {
      text += "\nassumed linker: \(linker) (for another linker, give --linker)"
    }
    if image.recording.launches > 1 && !image.functions.uses.isEmpty {
      let all = image.functions.uses.count { $0.launches >= image.recording.launches }
      text += "\nused by all \(image.recording.launches) launches: \(counted(all, "function"))"
    }
    if let previous = image.file.previous {
      text +=
        "\nkept the places of \(previous.kept) of \(counted(image.file.entries, "entry", "entries")): "
        + "\(previous.moved) moved, \(previous.new) new, \(previous.leftOut) left out since "
        + printable(previous.path)
      if let prediction = previous.prediction?.text { text += "\n" + prediction }
    }
    if image.functions.rare > 0 {
      text += "\nleft out: \(counted(image.functions.rare, "function")) that too few launches used"
    }
    for build in image.recording.builds where build.resolvedFunctions < build.recordedFunctions {
      text +=
        "\n\(build.resolvedFunctions) of \(counted(build.recordedFunctions, "function")) of "
        + "\(counted(Int(clamping: build.launches), "launch", "launches")) of "
        + "\(printable(build.path)) \(build.imageID ?? "without ID")"
    }
    if image.recording.unnamedHits > 0 {
      text += "\n\(counted(image.recording.unnamedHits, "hit")) in code without a symbol"
    }
    if let split = image.split {
      text +=
        "\nsplit \(counted(split.functions, "function")) into \(ByteCount(split.hotBytes).wording) that ran and "
        + "\(ByteCount(split.coldBytes).wording) that did not: \(printable(split.outputPath))"
      if let others = split.otherBuilds { text += "\n" + others.text }
      text += list("left whole", split.leftWhole)
      if let unmapped = split.unmapped?.text { text += "\n" + unmapped }
    }
    if let prefetch = image.prefetch { text += "\n" + prefetch.text }
    if let renaming = image.renaming { text += "\n" + renaming.text }
    if let data = image.data { text += "\n" + data.text }
    return text + list("left out", image.functions.missing)
      + list("data left out", image.data?.missing ?? [], thing: "datum", things: "data")
  }

  /// Counts functions by reason, or lists each function with its reason.
  private func list(
    _ title: String, _ functions: [NameWithReason], thing: String = "function",
    things: String = "functions"
  ) -> String {
    guard !functions.isEmpty else { return "" }
    let text = "\n\(title): \(counted(functions.count, thing, things))"
    guard listsMissing else {
      return text + ": "
        + functions.byReason.map { "\($0.count) \($0.reason)" }.joined(separator: "; ")
        + " (--list-missing lists them)"
    }
    return functions.reduce(text) {
      $0 + "\n  \(printable(names($1.name))): \($1.reason)"
    }
  }

  /// The next step with the order file. It mentions that build systems do not notice a changed order file.
  private var next: String {
    if let split = image.split, let command = split.command {
      return "; next: \(printable(command))"
    }
    if let renaming = image.renaming { return "; next: remove the image, and \(renaming.use)" }
    guard let option = image.file.linkOption, image.file.path != "-" else { return "" }
    var link = "and link it with \(option)\(printable(shellWord(image.file.path)))"
    if let prefetch = image.prefetch {
      link = "compile \(printable(shellWord(prefetch.outputPath))) with the project, \(link)"
    }
    guard let split = image.split else {
      return "; next: remove the image, \(link)"
    }
    return "; next: \(printable(split.use)), \(link)"
  }
}

extension KeptPrediction {
  /// The prediction for the mean launch; `nil` if there are no launches.
  fileprivate var text: String? {
    guard launches > 0 else { return nil }
    let change = "(\(mean(pages.new)) → \(mean(pages.kept)))"
    let lost = mean(abs(pages.kept - pages.new))
    let perLaunch = launches > 1 ? " a launch" : ""
    let text =
      lost == mean(0)
      ? "as many pages of 4 KiB as with a new order (\(mean(pages.new))\(perLaunch))"
      : "\(lost) \(lost == "1" ? "page" : "pages") of 4 KiB\(perLaunch) "
        + "\(pages.kept > pages.new ? "more" : "fewer") than with a new order \(change)"
    return "predicted: \(text); page faults of a cold launch: \(mean(faults.new)) → "
      + mean(faults.kept)
  }

  /// Returns a sum divided by the number of launches, rounded to tenths if there are several launches.
  private func mean(_ sum: Int) -> String {
    guard launches > 1 else { return "\(sum)" }
    let tenths = (20 * sum + launches) / (2 * launches)
    return "\(tenths / 10).\(tenths % 10)"
  }
}
