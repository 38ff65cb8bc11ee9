import Addresses
import ImageModel
import JSON
import PagesFormat

/// The result of `orderfile refine`, with each step of the search. All its figures are measured.
package struct RefineDocument: Hashable, Sendable {
  /// The path of the order file that was written.
  package var outputPath: String
  package var imagePath: String
  /// The page size by which the numbers of pages of orders are compared.
  package var pageSize: PageSize
  /// The orders that were tried, in sequence; the first is the given order.
  package var steps: [Step]
  package var floor: Floor
  /// What the pages of data hold with the best order.
  package var data: DataPages
  /// The launches of a file that did not fail, in the order of the file; empty if the launch is of the command line.
  /// With launches, all other numbers of pages are sums over them.
  package var launches: [Launch] = []
  /// The number of entries that were left out at the end because the image lacks their symbols.
  package var droppedEntries: Int

  /// One order that was linked and launched.
  package struct Step: Hashable, Sendable {
    package var move: String
    package var entries: Int
    package var pages: Pages
    /// Whether this order was better than all orders before it.
    package var isKept: Bool

    package init(move: String, entries: Int, pages: Pages, isKept: Bool) {
      self.move = move
      self.entries = entries
      self.pages = pages
      self.isKept = isKept
    }
  }

  /// Numbers of pages, for each page size of `PagesDocument.pageSizes`.
  package struct Pages: Hashable, Sendable {
    /// Distinct pages of the executable segment in which the launch executed something.
    package var text: [Int]
    /// Distinct pages that the launch reads or writes, or that the loader writes. Pages with executed code are left
    /// out.
    package var data: [Int]

    package init(text: [Int], data: [Int]) {
      self.text = text
      self.data = data
    }

    static let none = Pages(
      text: PagesDocument.pageSizes.map { _ in 0 }, data: PagesDocument.pageSizes.map { _ in 0 })

    static func + (a: Self, b: Self) -> Self {
      Self(text: zip(a.text, b.text).map(+), data: zip(a.data, b.data).map(+))
    }
  }

  /// A launch of a file of launches.
  package struct Launch: Hashable, Sendable {
    package var name: String
    /// The pages with the given order, and with the best order.
    package var before: Pages
    package var after: Pages
    /// The pages of the floor of this launch, of the document's page size.
    package var floorPages: Int

    package init(name: String, before: Pages, after: Pages, floorPages: Int) {
      self.name = name
      self.before = before
      self.after = after
      self.floorPages = floorPages
    }
  }

  /// A lower bound on the executed pages, for orders of whole functions.
  package struct Floor: Hashable, Sendable {
    /// The size of the functions that the launch ran and that the order places.
    package var startupBytes: UInt64
    /// The pages that these functions fill without gaps.
    package var startupPages: Int
    package var pageSize: PageSize
    /// Executed pages that hold no function which the order places.
    package var fixed: [FixedPage]

    package init(startupBytes: UInt64, pageSize: PageSize, fixed: [FixedPage]) {
      self.startupBytes = startupBytes
      startupPages = Int(
        clamping: startupBytes / pageSize.bytes
          + (startupBytes % pageSize.bytes == 0 ? 0 : 1))
      self.pageSize = pageSize
      self.fixed = fixed
    }

    package var pages: Int { fixed.reduce(startupPages) { $0 + $1.launches } }

    /// The floor of the sum of the pages of several launches.
    package static func + (a: Self, b: Self) -> Self {
      var sum = a
      sum.startupBytes = [a.startupBytes, b.startupBytes].saturatingSum()
      sum.startupPages += b.startupPages
      for page in b.fixed {
        let number = a.pageSize.page(of: page.address)
        if let index = sum.fixed.firstIndex(where: {
          a.pageSize.page(of: $0.address) == number
        }) {
          sum.fixed[index].launches += page.launches
        } else {
          sum.fixed.append(page)
        }
      }
      return sum
    }
  }

  /// A page of executed code that holds no function that the order places.
  package struct FixedPage: Hashable, Sendable {
    package var address: StatedAddress
    /// The function that ran first on the page; `nil` if it has no name.
    package var function: SymbolName?
    package var section: SymbolName?
    /// The number of launches that execute the page.
    package var launches = 1

    package init(address: StatedAddress, function: SymbolName?, section: SymbolName?) {
      self.address = address
      self.function = function
      self.section = section
    }
  }

  /// The numbers of 4 KiB pages without executed code, by what is on them. If several reasons apply to a page, the page
  /// is counted only for the first reason, in the order of the properties.
  package struct DataPages: Hashable, Sendable {
    /// The loader writes to the page.
    package var loader = 0
    /// The first touched variable or constant has an entry in the order file.
    package var listed = 0
    /// The first touched variable or constant has a name, but no entry in the order file.
    package var unlisted = 0
    /// The first touched bytes have no name: they are strings and constants that the compiler or the linker merged.
    package var unnamed = 0
    /// The page is in no section that linkers order.
    package var other = 0

    package init() {}

    static func + (a: Self, b: Self) -> Self {
      var sum = a
      sum.loader += b.loader
      sum.listed += b.listed
      sum.unlisted += b.unlisted
      sum.unnamed += b.unnamed
      sum.other += b.other
      return sum
    }

    package var total: Int { loader + listed + unlisted + unnamed + other }
  }

  package init(
    outputPath: String, imagePath: String, pageSize: PageSize, steps: [Step], floor: Floor,
    data: DataPages, launches: [Launch] = [], droppedEntries: Int = 0
  ) {
    self.outputPath = outputPath
    self.imagePath = imagePath
    self.pageSize = pageSize
    self.steps = steps
    self.floor = floor
    self.data = data
    self.launches = launches
    self.droppedEntries = droppedEntries
  }
}

// MARK: JSON

extension RefineDocument: JSONDocument {
  package static let schema = "orderfile.refine/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("data", data)
    json.member("droppedEntries", droppedEntries)
    json.member("floor", floor)
    json.member("imagePath", imagePath)
    if !launches.isEmpty { json.member("launches", launches) }
    json.member("outputPath", outputPath)
    json.member("pageBytes", pageSize)
    json.member("schema", Self.schema)
    json.member("steps", steps)
  }
}

extension RefineDocument.Floor: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.array("fixed") { json in
      for page in fixed {
        json.object { json in
          json.member("address", page.address)
          json.member("function", page.function)
          json.member("launches", page.launches)
          json.member("section", page.section)
        }
      }
    }
    json.member("pages", pages)
    json.member("startupBytes", startupBytes)
    json.member("startupPages", startupPages)
  }
}

extension RefineDocument.DataPages: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("listed", listed)
    json.member("loader", loader)
    json.member("other", other)
    json.member("unlisted", unlisted)
    json.member("unnamed", unnamed)
  }
}

extension RefineDocument.Step: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    pages.writeData(to: &json)
    json.member("entries", entries)
    json.member("isKept", isKept)
    json.member("move", move)
    pages.writeText(to: &json)
  }
}

extension RefineDocument.Launch: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("after", after)
    json.member("before", before)
    json.member("floorPages", floorPages)
    json.member("name", name)
  }
}

extension RefineDocument.Pages: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    writeData(to: &json)
    writeText(to: &json)
  }

  fileprivate func writeData(to json: inout JSONWriter) {
    let keys: [StaticString] = ["dataPages", "dataPages16k", "dataPages64k"]
    for (key, count) in zip(keys, data) { json.member(key, count) }
  }

  fileprivate func writeText(to json: inout JSONWriter) {
    let keys: [StaticString] = ["textPages", "textPages16k", "textPages64k"]
    for (key, count) in zip(keys, text) { json.member(key, count) }
  }
}
