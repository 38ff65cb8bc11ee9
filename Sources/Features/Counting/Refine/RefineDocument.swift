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
  /// The number of entries that were left out at the end because the image lacks their symbols.
  package var droppedEntries: Int

  /// One order that was linked and launched.
  package struct Step: Hashable, Sendable {
    package var move: String
    package var entries: Int
    /// Distinct 4 KiB pages of the executable segment in which the launch executed something.
    package var textPages: Int
    package var textPages16k: Int
    package var textPages64k: Int
    /// The numbers of distinct pages, of 4, 16 and 64 KiB, that the launch reads or writes, or that the loader writes.
    /// Pages with executed code are left out.
    package var dataPages: [Int]
    /// Whether this order was better than all orders before it.
    package var isKept: Bool

    package init(
      move: String, entries: Int, textPages: Int, textPages16k: Int, textPages64k: Int,
      dataPages: [Int], isKept: Bool
    ) {
      self.move = move
      self.entries = entries
      self.textPages = textPages
      self.textPages16k = textPages16k
      self.textPages64k = textPages64k
      self.dataPages = dataPages
      self.isKept = isKept
    }
  }

  /// A lower bound on the executed pages, for orders of whole functions.
  package struct Floor: Hashable, Sendable {
    /// The size of the functions that the launch ran and that the order places.
    package var startupBytes: UInt64
    package var pageSize: PageSize
    /// Executed pages that hold no function which the order places.
    package var fixed: [FixedPage]

    package init(startupBytes: UInt64, pageSize: PageSize, fixed: [FixedPage]) {
      self.startupBytes = startupBytes
      self.pageSize = pageSize
      self.fixed = fixed
    }

    package var startupPages: Int {
      Int(clamping: startupBytes / pageSize.bytes + (startupBytes % pageSize.bytes == 0 ? 0 : 1))
    }
    package var pages: Int { startupPages + fixed.count }
  }

  /// A page of executed code that holds no function that the order places.
  package struct FixedPage: Hashable, Sendable {
    package var address: StatedAddress
    /// The function that ran first on the page; `nil` if it has no name.
    package var function: SymbolName?
    package var section: SymbolName?

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

    package var total: Int { loader + listed + unlisted + unnamed + other }
  }

  package init(
    outputPath: String, imagePath: String, pageSize: PageSize, steps: [Step], floor: Floor,
    data: DataPages, droppedEntries: Int = 0
  ) {
    self.outputPath = outputPath
    self.imagePath = imagePath
    self.pageSize = pageSize
    self.steps = steps
    self.floor = floor
    self.data = data
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
    let keys: [StaticString] = ["dataPages", "dataPages16k", "dataPages64k"]
    for (key, count) in zip(keys, dataPages) { json.member(key, count) }
    json.member("entries", entries)
    json.member("isKept", isKept)
    json.member("move", move)
    json.member("textPages", textPages)
    json.member("textPages16k", textPages16k)
    json.member("textPages64k", textPages64k)
  }
}
