import ImageModel
import Rendering

/// The text report of an order file: one paragraph with what it holds and leaves out.
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
    var text = "ordered \(image.resolvedFunctions) of "
    text += counted(image.recordedFunctions, "recorded function")
    if image.launches > 1 { text += " of \(image.launches) launches" }
    if image.textBytes > 0 {
      text += " (\(ByteCount(image.startupBytes)) of \(ByteCount(image.textBytes)) of code)"
    }
    if image.untracedInitializers > 0 {
      text += ", and \(counted(image.untracedInitializers, "initializer")) that no trace recorded,"
    }
    text +=
      " in \(counted(image.entries, "entry", "entries"))"
      + (image.launches > 1 ? ", \(image.strategy)" : "")
      + ": \(printable(image.outputPath))" + next
    if let linker = image.assumedLinker {
      text += "\nassumed linker: \(linker) (--linker names another one)"
    }
    if image.launches > 1 && !image.uses.isEmpty {
      let all = image.uses.count { $0.launches >= image.launches }
      text += "\nused by all \(image.launches) launches: \(counted(all, "function"))"
    }
    if let previous = image.previous {
      text +=
        "\nkept the places of \(previous.kept) of \(counted(image.entries, "entry", "entries")): "
        + "\(previous.moved) moved, \(previous.new) new, \(previous.leftOut) left out since "
        + printable(previous.path)
    }
    if image.rareFunctions > 0 {
      text += "\nleft out: \(counted(image.rareFunctions, "function")) that too few launches used"
    }
    for build in image.builds where build.resolvedFunctions < build.recordedFunctions {
      text +=
        "\n\(build.resolvedFunctions) of \(counted(build.recordedFunctions, "function")) of "
        + "\(counted(Int(clamping: build.launches), "launch", "launches")) of "
        + "\(printable(build.path)) \(build.imageID ?? "without ID")"
    }
    if image.unnamedHits > 0 {
      text += "\n\(counted(image.unnamedHits, "hit")) in code without a symbol"
    }
    if let split = image.split {
      text +=
        "\nsplit \(counted(split.functions, "function")) into \(ByteCount(split.hotBytes)) that ran and "
        + "\(ByteCount(split.coldBytes)) that did not: \(printable(split.outputPath))"
      text += list("left whole", split.leftWhole)
    }
    if let data = image.data { text += "\n" + data.text }
    return text + list("left out", image.missing)
      + list("data left out", image.data?.missing ?? [], thing: "datum", things: "data")
  }

  /// Functions by their reasons, or each with its own.
  private func list(
    _ title: String, _ functions: [NameWithReason], thing: String = "function",
    things: String = "functions"
  ) -> String {
    guard !functions.isEmpty else { return "" }
    let text = "\n\(title): \(counted(functions.count, thing, things))"
    guard listsMissing else {
      return text + ": "
        + functions.byReason.map { "\($0.count) \($0.reason)" }.joined(separator: "; ")
        + " (--explain lists them)"
    }
    return functions.reduce(text) {
      $0 + "\n  \(printable(names($1.name))): \($1.reason)"
    }
  }

  /// What to do with the order file. Build systems do not notice that it has changed.
  private var next: String {
    if let split = image.split, let command = split.command {
      return "; next: \(printable(command))"
    }
    guard let option = image.linkOption, image.outputPath != "-" else { return "" }
    let link = "link it with \(option)\(printable(shellWord(image.outputPath)))"
    guard let split = image.split else { return "; next: remove the image, and \(link)" }
    return "; next: \(printable(split.use)), and \(link)"
  }
}
