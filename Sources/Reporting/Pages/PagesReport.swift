import Addresses
import ImageModel
import JSON

/// The pages that one launch touched: measured.
package struct PagesReport: Sendable {
  package static let schema = "orderfile.pages/1"

  package var command: [String]
  package var end: End
  /// How access was withheld: `preload` or `ptrace`.
  package var method: String
  package var images: [Image]

  /// How the program ended.
  package enum End: Sendable {
    case exited(Int)
    case killed(signal: Int)
  }

  package struct Image: Sendable {
    package var path: String
    /// `nil` if the file can't be read any more.
    package var id: ImageID?
    /// By time.
    package var pages: [Page]
    /// How many pages of each size the file fills, by segment.
    package var filled: [Segment: [PageSize: Int]]

    package init(
      path: String, id: ImageID?, pages: [Page], filled: [Segment: [PageSize: Int]]
    ) {
      self.path = path
      self.id = id
      self.pages = pages
      self.filled = filled
    }
  }

  /// The first touch of a page by one kind of access.
  package struct Page: Sendable {
    package var access: Access
    /// Of 4 KiB, its first byte.
    package var address: StatedAddress
    package var segment: Segment
    /// The function whose instruction it was; `nil` where it has no name.
    package var function: SymbolName?
    /// `nil` of an instruction outside of the image.
    package var instruction: StatedAddress?
    /// Another image that the instruction is in; `nil` if it is in this one or in none.
    package var instructionImage: String?
    /// Position among the touches of all images.
    package var step: Int

    package init(
      access: Access, address: StatedAddress, segment: Segment, function: SymbolName?,
      instruction: StatedAddress?, instructionImage: String?, step: Int
    ) {
      self.access = access
      self.address = address
      self.segment = segment
      self.function = function
      self.instruction = instruction
      self.instructionImage = instructionImage
      self.step = step
    }
  }

  package init(command: [String], end: End, method: String, images: [Image]) {
    self.command = command
    self.end = end
    self.method = method
    self.images = images
  }

  static let sizes: [PageSize] = [.fourKibibytes, .sixteenKibibytes, .sixtyFourKibibytes]
}

extension PagesReport.Image {
  /// Distinct pages of that size with a touch that counts.
  func count(
    _ size: PageSize, where counts: (PagesReport.Page) -> Bool
  ) -> Int {
    Set(pages.lazy.filter(counts).map { size.page(of: $0.address) }).count
  }

  func count(of segment: Segment, _ size: PageSize = .fourKibibytes) -> Int {
    count(size) { $0.segment == segment }
  }

  /// Pages of the executable segment that were executed, or that were read or written.
  package func textCount(executed: Bool, _ size: PageSize = .fourKibibytes) -> Int {
    count(size) { $0.segment == .text && ($0.access == .execute) == executed }
  }
}

// MARK: Text

extension PagesReport {
  /// - Parameter listsPages: whether each page has a row of its own.
  package func text(width: Int?, names: NameWording, listsPages: Bool) -> String {
    var text = "pages touched, measured by \(method)\n"
    for image in images {
      text += "\n\(printable(image.path))\n" + table(image)
      if listsPages, !image.pages.isEmpty { text += "\n" + list(image, width: width, names) }
    }
    return text
  }

  private func table(_ image: Image) -> String {
    var table = Table([
      .init("4 KiB"), .init("OF", separator: " / "), .init("16 KiB"),
      .init("OF", separator: " / "), .init("64 KiB"), .init("OF", separator: " / "),
      .init("SEGMENT", .left),
    ])
    /// - Parameter segments: empty for pages that the row before has counted among those that there are.
    func add(_ name: String, _ segments: [Segment], _ count: (PageSize) -> Int) {
      table.add(
        Self.sizes.flatMap { size in
          let filled = segments.reduce(0) { $0 + (image.filled[$1]?[size] ?? 0) }
          return ["\(count(size))", segments.isEmpty ? "" : "\(filled)"]
        } + [name])
    }
    add("text, executed", [.text]) { image.textCount(executed: true, $0) }
    func otherText(_ size: PageSize) -> Int {
      image.count(of: .text, size) - image.textCount(executed: true, size)
    }
    if otherText(.fourKibibytes) > 0 { add("text, only read", [], otherText) }
    for segment in [Segment.readOnly, .data] {
      add(segment.rawValue, [segment]) { image.count(of: segment, $0) }
    }
    add("TOTAL", Segment.allCases) { size in
      Segment.allCases.reduce(0) { $0 + image.count(of: $1, size) }
    }
    return table.text()
  }

  private func list(_ image: Image, width: Int?, _ names: NameWording) -> String {
    var table = Table([
      .init("STEP"), .init("ACCESS", .left), .init("SEGMENT", .left), .init("PAGE"),
      .init("INSTRUCTION"), .init("FUNCTION", .left),
    ])
    for page in image.pages {
      let function = page.function.map(names) ?? "-"
      let place = page.instructionImage.map { " in \($0)" } ?? ""
      table.add([
        "\(page.step)", page.access.rawValue, page.segment.rawValue, "\(page.address)",
        page.instruction.map { "\($0)" } ?? "-", function + place,
      ])
    }
    return table.text(width: width)
  }
}

// MARK: JSON

extension PagesReport {
  /// The report as one JSON object: `orderfile.pages/1`.
  package func json(to sink: @escaping ([UInt8]) -> Void) {
    JSONWriter.document(to: sink) { json in
      json.array("command") { json in for word in command { json.element(word) } }
      if case .exited(let status) = end { json.member("exitStatus", status) }
      json.array("images") { json in
        for image in images { json.object(isInline: false) { write(image, to: &$0) } }
      }
      json.member("method", method)
      json.member("schema", Self.schema)
      if case .killed(let signal) = end { json.member("signal", signal) }
    }
  }

  private func write(_ image: Image, to json: inout JSONWriter) {
    json.member("dataPages", image.count(of: .data))
    json.member("id", image.id?.description)
    json.array("pages") { json in
      for page in image.pages { json.object { write(page, to: &$0) } }
    }
    json.member("path", image.path)
    json.member("readOnlyPages", image.count(of: .readOnly))
    json.member("textPages", image.textCount(executed: true))
    json.member("textPages16k", image.textCount(executed: true, .sixteenKibibytes))
    json.member("textPages64k", image.textCount(executed: true, .sixtyFourKibibytes))
    json.member("textPagesRead", image.textCount(executed: false))
  }

  private func write(_ page: Page, to json: inout JSONWriter) {
    json.member("access", page.access.rawValue)
    json.member("address", page.address)
    json.member("function", page.function)
    json.member("pc", page.instruction)
    if let image = page.instructionImage { json.member("pcImage", image) }
    json.member("segment", page.segment.rawValue)
    json.member("step", page.step)
  }
}
