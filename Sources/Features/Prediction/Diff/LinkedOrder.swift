import CommandSupport
import ImageModel
import OrderFileFormat
import OrderFileMatching
import Rendering

/// The order file that the last layout was linked with, and the check of the layout against it.
package struct LinkedOrder {
  let path: String
  let file: OrderFile
  package let check: OrderFileCheck

  /// Reads the order file at `path`.
  init(_ path: String, of layouts: PredictedLayouts) throws(Diagnostic) {
    self.path = path
    file = try InputFile.namedOrderFile(
      try InputFile.bytes(path), path, of: layouts.imageFormat, linker: layouts.last.image?.linker
    ).orders(of: [layouts.last.orderedBuild(layouts.architecture)]).order
    check = OrderFileCheck(
      file, layout: layouts.namedLast, architecture: layouts.architecture)
  }

  /// - Throws: an error if the layout has no entry of the order.
  func checkProgram(_ layout: String) throws(Diagnostic) {
    guard check.present == 0, check.dataEntries + check.untoldEntries == 0, file.strings.isEmpty
    else { return }
    throw .foreignOrderFile(path, entries: check.entries, layout)
  }

  /// The number of entries that identify a program, and how many of them the layout has.
  package var functions: FoundFunctions {
    let common = Set(
      file.entries.map { SymbolName(bytes: $0.symbol) }.filter { !$0.tellsProgram })
    let lacking = check.missing.count { $0.name.tellsProgram }
    let commonFound = common.count - (check.missing.count - lacking)
    let found = max(0, check.present - max(0, commonFound))
    return FoundFunctions(found: found, all: found + lacking)
  }

  func compliance(_ layouts: PredictedLayouts) -> OrderCompliance {
    OrderCompliance(check, dataCheck(layouts))
  }

  /// Compares the data of the layout with the order. Returns `nil` if the order has no data, or if the layout is a link
  /// map.
  private func dataCheck(_ layouts: PredictedLayouts) -> DataOrderCheck? {
    guard check.dataEntries + file.strings.count > 0, let bytes = layouts.last.bytes,
      let data = (try? layouts.last.dataLayout()) ?? nil
    else { return nil }
    return DataOrderCheck(file, check, data: data, of: bytes, architecture: layouts.architecture)
  }

  /// Returns warnings about an order that is out of date or was not followed, and about obstacles for the linker or for
  /// the check.
  func warnings(_ layouts: PredictedLayouts) -> [Diagnostic] {
    let stale = Diagnostic.staleOrder(check, path, layouts.last.path)
    let noncompliance = Diagnostic.noncompliance(
      check, path: layouts.last.path, in: layouts.namedLast)
    let apart = Diagnostic.sectionsApart(
      file, path, in: layouts.namedLast, layouts.last.path, architecture: layouts.architecture)
    let untold = Diagnostic.untoldSections(
      check.untoldEntries, path: path,
      hint: "give link maps as BEFORE and AFTER, or write the order file again with "
        + "'orderfile gen --link-map'")
    return [stale, noncompliance].compactMap { $0 } + apart + [untold].compactMap { $0 }
  }
}

extension OrderCompliance {
  fileprivate init(_ check: OrderFileCheck, _ data: DataOrderCheck?) {
    self.init(
      entries: check.entries, dataEntries: check.dataEntries, present: check.present,
      inOrder: check.inOrder,
      firstDeviation: check.deviationWording,
      unorderable: check.missing.map {
        NameWithReason(name: $0.name, reason: $0.reason.description)
      })
    self.data = data.map {
      DataCompliance(
        entries: $0.data.entries, present: $0.data.present, inOrder: $0.data.inOrder,
        firstDeviation: $0.firstDeviation?.wording, strings: $0.strings.entries,
        presentStrings: $0.strings.present, stringsInOrder: $0.strings.inOrder)
    }
  }
}

extension OrderFileCheck {
  /// The first deviation in words; `nil` if all entries are in order.
  var deviationWording: String? { firstDeviation?.wording }
}

extension OrderFileCheck.Deviation {
  /// The deviation as text, such as `'f' at 0x1234, expected after 'main'`.
  fileprivate var wording: String {
    "'\(name)' at \(address), expected " + (expectedPredecessor.map { "after '\($0)'" } ?? "first")
  }
}
