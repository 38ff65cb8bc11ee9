import ImageModel

/// The text report of an ordered project.
package struct AutoText {
  private let document: AutoDocument

  package init(_ document: AutoDocument) { self.document = document }

  package var text: String {
    "measured: pages of code that \(counted(document.launches.count, "launch", "launches")) executed, counted exactly\n\n"
      + pages.text() + "\n" + checks
      + "recorded by \(document.method.wording)\n\nto order your own build:\n"
      + document.optionLines.map { "  \($0)\n" }.joined()
      + "results: \(printable(document.folder))\n"
  }

  private var pages: Table {
    var table = Table([
      .init("4 KiB"), .init("ORDERED"), .init("CHANGE"), .init("16 KiB"), .init("ORDERED"),
      .init("IMAGE", .left),
    ])
    func add(_ name: String, _ pages: BeforeAfter<Int>, _ pages16k: BeforeAfter<Int>) {
      table.add([
        "\(pages.before)", "\(pages.after)", pages.change, "\(pages16k.before)",
        "\(pages16k.after)", name,
      ])
    }
    for image in document.images { add(image.name, image.pages, image.pages16k) }
    if document.images.count > 1 { add("TOTAL", document.pages, document.pages16k) }
    return table
  }

  private var checks: String {
    document.images.map { "\(printable($0.name)): \($0.check)\n" }.joined()
  }
}

extension AutoDocument {
  /// The options for the user's own build, a line for each kind.
  fileprivate var optionLines: [String] {
    func line(_ options: [String]) -> String {
      options.map { printable(shellWord($0)) }.joined(separator: " ")
    }
    let compile = images.first?.compileOptions ?? []
    return (compile.isEmpty ? [] : ["compile: \(line(compile))"])
      + images.map { "link \(printable($0.name)): \(line($0.linkOptions))" }
  }
}

/// The same in Markdown, for a pull request.
package struct AutoMarkdown {
  private let document: AutoDocument

  package init(_ document: AutoDocument) { self.document = document }

  package var text: String {
    var text = """
      ### Pages of code that a launch executes

      Measured in \(counted(document.launches.count, "launch", "launches")), recorded by \(document.method.wording).

      | image | 4 KiB | ordered | change | 16 KiB | ordered |
      |---|---:|---:|---:|---:|---:|

      """
    for image in document.images {
      text += row(markdown(image.name), image.pages, image.pages16k)
    }
    if document.images.count > 1 { text += row("**all**", document.pages, document.pages16k) }
    text += "\n"
    for image in document.images { text += "- \(markdown(image.name)): \(image.check)\n" }
    for warning in document.warnings {
      text += "- warning: \(markdown(warning.split(separator: "\n").joined(separator: "; ")))\n"
    }
    return text + "\n```\n" + document.optionLines.map { $0 + "\n" }.joined() + "```\n"
  }

  private func row(_ name: String, _ pages: BeforeAfter<Int>, _ pages16k: BeforeAfter<Int>)
    -> String
  {
    "| \(name) | \(pages.before) | \(pages.after) | \(pages.change) | \(pages16k.before) | \(pages16k.after) |\n"
  }

  /// Text without a meaning in Markdown.
  private func markdown(_ text: String) -> String {
    var escaped = ""
    for character in printable(text) {
      if "\\`*_{}[]<>#|".contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
    return escaped
  }
}

extension AutoDocument.Image {
  /// Whether the linker did what it was told.
  fileprivate var check: String {
    let followed = "\(compliance.inOrder) of \(counted(compliance.present, "entry", "entries"))"
    return "\(counted(functions, "function")) ran; \(linker) placed \(followed) in order"
  }
}
