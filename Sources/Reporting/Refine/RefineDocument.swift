import Addresses
import ImageModel
import JSON
import PagesFormat

/// What refining an order came to: measured, each step of it.
package struct RefineDocument: Hashable, Sendable {
  /// The order file that was written.
  package var outputPath: String
  package var imagePath: String
  /// Of the pages that decide which of two orders is better.
  package var pageSize: PageSize
  /// In the order of their trial; the first is the order as it was given.
  package var steps: [Step]
  package var floor: Floor

  /// One order that was linked and launched.
  package struct Step: Hashable, Sendable {
    package var move: String
    package var entries: Int
    /// Distinct pages of the executable segment in which the launch executed something, of 4 KiB.
    package var textPages: Int
    package var textPages16k: Int
    package var textPages64k: Int
    /// Whether it was better than all before.
    package var isKept: Bool

    package init(
      move: String, entries: Int, textPages: Int, textPages16k: Int, textPages64k: Int,
      isKept: Bool
    ) {
      self.move = move
      self.entries = entries
      self.textPages = textPages
      self.textPages16k = textPages16k
      self.textPages64k = textPages64k
      self.isKept = isKept
    }
  }

  /// What an order of whole functions can't be better than.
  package struct Floor: Hashable, Sendable {
    /// Of the functions that the launch ran and that the order places.
    package var startupBytes: UInt64
    package var pageSize: PageSize
    /// Pages that the launch executes and that hold none of them.
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

  /// A page of what no entry of the order places.
  package struct FixedPage: Hashable, Sendable {
    package var address: StatedAddress
    /// What was executed there first; `nil` where that has no name.
    package var function: SymbolName?
    package var section: SymbolName?

    package init(address: StatedAddress, function: SymbolName?, section: SymbolName?) {
      self.address = address
      self.function = function
      self.section = section
    }
  }

  package init(
    outputPath: String, imagePath: String, pageSize: PageSize, steps: [Step], floor: Floor
  ) {
    self.outputPath = outputPath
    self.imagePath = imagePath
    self.pageSize = pageSize
    self.steps = steps
    self.floor = floor
  }
}

// MARK: JSON

extension RefineDocument: JSONDocument {
  package static let schema = "orderfile.refine/1"

  package func write(to json: inout JSONWriter) {
    json.object("floor") { floor.write(to: &$0) }
    json.member("imagePath", imagePath)
    json.member("outputPath", outputPath)
    json.member("pageBytes", pageSize)
    json.member("schema", Self.schema)
    json.array("steps") { json in for step in steps { json.object { step.write(to: &$0) } } }
  }
}

extension RefineDocument.Floor {
  fileprivate func write(to json: inout JSONWriter) {
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

extension RefineDocument.Step {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("entries", entries)
    json.member("isKept", isKept)
    json.member("move", move)
    json.member("textPages", textPages)
    json.member("textPages16k", textPages16k)
    json.member("textPages64k", textPages64k)
  }
}
