import FaultEstimate
import ImageModel
import JSON
import Rendering

/// The pages of data that a launch is predicted to touch in two layouts, from traces with touches of data.
package struct DataPagesPrediction: Hashable, Sendable {
  /// A section that linkers order, or that both layouts have under one name.
  package struct Section: Hashable, Sendable {
    package var name: SymbolName
    /// The kind of the data in the section: `constants`, `zero-filled`.
    package var kind: String
    package var pages: BeforeAfter<Int>
    /// The pages of `pages` to which the loader writes, in any order.
    package var loaderPages: BeforeAfter<Int>

    package init(
      name: SymbolName, kind: String, pages: BeforeAfter<Int>, loaderPages: BeforeAfter<Int>
    ) {
      self.name = name
      self.kind = kind
      self.pages = pages
      self.loaderPages = loaderPages
    }
  }

  /// The sections, by kind, then by name. Their pages add up to `pages`.
  package var sections: [Section]
  package var pages: BeforeAfter<Int>
  /// The pages of `pages` without a byte in the file: the kernel fills them with zeros.
  package var zeroFilledPages: BeforeAfter<Int>
  /// The number of touches whose place in the layout is unknown. Only `pagesAtMost` counts these touches.
  package var unplaced: BeforeAfter<Int>
  /// The number of pages if each unplaced touch is on a page that is not counted otherwise, up to all pages of the
  /// sections.
  package var pagesAtMost: BeforeAfter<Int>

  package init(
    sections: [Section], zeroFilledPages: BeforeAfter<Int>, unplaced: BeforeAfter<Int>,
    pagesAtMost: BeforeAfter<Int>
  ) {
    self.sections = sections
    pages = .sum(sections.map(\.pages))
    self.zeroFilledPages = zeroFilledPages
    self.unplaced = unplaced
    self.pagesAtMost = pagesAtMost
  }

  var loaderPages: BeforeAfter<Int> { .sum(sections.map(\.loaderPages)) }
}

/// The text about the predicted pages of data.
struct DataPagesPredictionText {
  let prediction: DataPagesPrediction
  let pageSize: PageSize
  let isMachO: Bool

  var text: String {
    var table = Table([
      .init("PAGES", separator: " "), .init("AFTER", separator: " → "), .init("SAVED"),
      .init("CHANGE"), .init("LOADER", separator: " "), .init("AFTER", separator: " → "),
      .init("SECTION", .left),
    ])
    func add(_ pages: BeforeAfter<Int>, _ loader: BeforeAfter<Int>, _ name: String) {
      table.add([
        "\(pages.before)", "\(pages.after)", "\(pages.saved)", pages.change, "\(loader.before)",
        "\(loader.after)", name,
      ])
    }
    for section in prediction.sections {
      add(section.pages, section.loaderPages, "\(section.name) (\(section.kind))")
    }
    add(prediction.pages, prediction.loaderPages, "TOTAL predicted pages of data")
    let zeros = prediction.zeroFilledPages
    let unplaced = prediction.unplaced
    let most = prediction.pagesAtMost
    var text = """

      predicted \(pageSize.wording) pages of data that hold what the launch touched:
        not counted: pages that only the kernel, or code without callbacks such as the C library, touches
      \(isMachO ? "  not counted: what dyld writes\n" : "")\(table.text())
      """
    if zeros.before + zeros.after > 0 {
      text += "  of these, pages of zeros, which no file has: \(zeros.before) → \(zeros.after)\n"
    }
    if unplaced.before + unplaced.after > 0 {
      text += """
        at most \(most.before) → \(most.after): \(unplaced.before) touches before and \(unplaced.after) after have \
        no known page, because the touched data have no name

        """
    }
    return text
  }
}

// MARK: JSON

extension DataPagesPrediction: JSONListedObject {
  /// The pages of all sections add up to `pages`.
  package static let members = JSONMembers(
    Self.init, member("sections", \.sections), countsMember("zeroFilledPages", \.zeroFilledPages),
    countsMember("unplacedTouches", \.unplaced), countsMember("pagesAtMost", \.pagesAtMost)
  ).writing("pages", \.pages.withSaving)
}

extension DataPagesPrediction.Section: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("name", \.name), member("kind", \.kind), savingMember("pages", \.pages),
    countsMember("loaderPages", \.loaderPages))
}
