import ByteReading
import ImageModel
import JSON
import PagesFormat
import Rendering

/// Whether the linker followed an order file. This is checked in the layout after, not predicted.
package struct OrderCompliance: Hashable, Sendable {
  /// The number of entries in the order file, without entries that name data.
  package var entries: Int
  /// The number of entries that name data. These entries are checked separately.
  package var dataEntries: Int
  /// The check of the entries that name data, and of the strings; `nil` if the layout after is a link map, which does
  /// not show them.
  package var data: DataCompliance?
  /// The number of entries that are in the layout.
  package var present: Int
  /// The number of present entries that are in the requested order.
  package var inOrder: Int
  /// The first place where the layout deviates from the order, as text; `nil` if there is none.
  package var firstDeviation: String?
  /// Entries that the linker was unable to order, in file order.
  package var unorderable: [NameWithReason]

  package init(
    entries: Int, data: DataCompliance? = nil, dataEntries: Int = 0, present: Int, inOrder: Int,
    firstDeviation: String? = nil, unorderable: [NameWithReason] = []
  ) {
    self.entries = entries
    self.data = data
    self.dataEntries = dataEntries
    self.present = present
    self.inOrder = inOrder
    self.firstDeviation = firstDeviation
    self.unorderable = unorderable
  }
}

extension OrderCompliance: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, countMember("entries", \.entries), optionalMember("data", \.data),
    JSONMember("dataEntries") { (object, key) throws(ParseError) in
      object.has(key) ? try object.count(key) : 0
    } write: {
      if $0.dataEntries > 0 { $2.member($1, $0.dataEntries) }
    },
    countMember("present", \.present), countMember("inOrder", \.inOrder),
    optionalMember("firstDeviation", \.firstDeviation), member("unorderable", \.unorderable))
}

/// Whether the linker followed the entries that name data or strings.
package struct DataCompliance: Hashable, Sendable {
  /// The entries for variables and constants: the number of all entries, of entries that the layout has in a section of
  /// data, and of entries that are in the requested order.
  package var entries: Int
  package var present: Int
  package var inOrder: Int
  package var firstDeviation: String?
  /// The number of all entries for strings, of entries that the layout has, and of entries that are in the requested
  /// order.
  package var strings: Int
  package var presentStrings: Int
  package var stringsInOrder: Int

  package init(
    entries: Int, present: Int, inOrder: Int, firstDeviation: String? = nil, strings: Int = 0,
    presentStrings: Int = 0, stringsInOrder: Int = 0
  ) {
    self.entries = entries
    self.present = present
    self.inOrder = inOrder
    self.firstDeviation = firstDeviation
    self.strings = strings
    self.presentStrings = presentStrings
    self.stringsInOrder = stringsInOrder
  }
}

extension DataCompliance: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, countMember("entries", \.entries), countMember("present", \.present),
    countMember("inOrder", \.inOrder), optionalMember("firstDeviation", \.firstDeviation),
    countMember("strings", \.strings), countMember("presentStrings", \.presentStrings),
    countMember("stringsInOrder", \.stringsInOrder))
}
