// The output of `orderfile pages --json`, in addition to its schema.
//
//     command[]       the words of the command
//     exitStatus      or signal: how it ended
//     method          how the touches were seen: "preload", "ptrace"
//     images[]        id, architecture, path
//       pages[]       address (of a page of 4 KiB), access, segment, step, pc of the instruction and its
//                     function; null where they are not known; pcImage if that is another image; accessor,
//                     and what it accessed: touched, section, symbol
//       loading[]     the same for reads and writes before the first instruction of the image; absent if
//                     they were not counted
//       sections[], accessors[], dataTotal
//                     numbers of pages that were read or written (DataPages), with loading
//       filePages[]   how many pages of pageSizeBytes the file fills: text, readOnly, data
//       textPages, textPages16k, ...
//                     counts of pages[]; a reader computes them itself

import ByteReading
import ImageModel
import JSON

extension PagesDocument: ReadableDocument {
  package static let schema = "orderfile.pages/1"

  /// Whether `bytes` are such a document, of this version or of another one.
  package static func begins(_ bytes: FileBytes) -> Bool {
    guard bytes.hasPrefix("{", at: 0) else { return false }
    var cursor = JSONCursor(bytes)
    let schema: String? = try? JSONObject(parsing: &cursor, "document").value("schema")
    return schema?.hasPrefix("orderfile.pages/") ?? false
  }

  package func write(to json: inout JSONWriter) {
    json.array("command") { json in for word in command { json.element(word) } }
    if case .exited(let status) = end { json.member("exitStatus", status) }
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.write(to: &$0) } }
    }
    json.member("method", method)
    json.member("schema", Self.schema)
    if case .killed(let signal) = end { json.member("signal", signal) }
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    command = try object.value("command")
    method = try object.value("method")
    images = try object.value("images")
    if let signal: Int = try object.optional("signal") {
      end = .killed(signal: signal)
    } else {
      end = .exited(try object.value("exitStatus"))
    }
  }
}

extension PagesDocument.Image: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    let data = DataPages(of: self)
    let isKnown = loading != nil || !data.rows.isEmpty
    if isKnown {
      json.array("accessors") { json in
        for share in data.shares { json.object { share.write(to: &$0) } }
      }
    }
    if let architecture = image.architecture { json.member("architecture", architecture) }
    json.member("dataPages", count(of: .data))
    if isKnown { json.object("dataTotal") { $0.write(pages: data.total) } }
    json.array("filePages") { json in
      for pages in filePages { json.object { pages.write(to: &$0) } }
    }
    json.member("id", id)
    if let loading {
      json.array("loading") { json in
        for page in loading { json.object { page.write(to: &$0) } }
      }
    }
    json.array("pages") { json in
      for page in pages { json.object { page.write(to: &$0) } }
    }
    json.member("path", path)
    json.member("readOnlyPages", count(of: .readOnly))
    if isKnown {
      json.array("sections") { json in
        for row in data.rows { json.object { row.write(to: &$0) } }
      }
    }
    json.member("textPages", textCount(executed: true))
    json.member("textPages16k", textCount(executed: true, .sixteenKibibytes))
    json.member("textPages64k", textCount(executed: true, .sixtyFourKibibytes))
    json.member("textPagesRead", textCount(executed: false))
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      try ImageReference(object), pages: try object.value("pages"),
      filePages: try object.optional("filePages") ?? [], loading: try object.optional("loading"))
  }
}

extension PagesDocument.FilePages: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("data", data)
    json.member("pageSizeBytes", pageSize)
    json.member("readOnly", readOnly)
    json.member("text", text)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      pageSize: try object.value("pageSizeBytes"), text: try object.value("text"),
      readOnly: try object.value("readOnly"), data: try object.value("data"))
  }
}

extension PagesDocument.Page: JSONReadableObject {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("access", access.rawValue)
    if let accessor { json.member("accessor", accessor.rawValue) }
    json.member("address", address)
    json.member("function", function)
    json.member("pc", instruction)
    if let instructionImage { json.member("pcImage", instructionImage) }
    if let section { json.member("section", section) }
    json.member("segment", segment.rawValue)
    json.member("step", step)
    if let symbol { json.member("symbol", symbol) }
    if let touched { json.member("touched", touched) }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      access: try object.value("access"), address: try object.value("address"),
      segment: try object.value("segment"), function: try object.optional("function"),
      instruction: try object.optional("pc"), instructionImage: try object.optional("pcImage"),
      step: try object.value("step"))
    touched = try object.optional("touched")
    section = try object.optional("section")
    symbol = try object.optional("symbol")
    accessor = try object.optional("accessor")
  }
}

extension DataPages.Row {
  package func write(to json: inout JSONWriter) {
    json.member("accessor", accessor.rawValue)
    json.write(pages: pages)
    json.member("section", section)
    json.member("segment", segment.rawValue)
  }
}

extension DataPages.Share {
  package func write(to json: inout JSONWriter) {
    json.member("accessor", accessor.rawValue)
    json.object("alone") { $0.write(pages: alone) }
    json.write(pages: pages)
    json.object("touched") { $0.write(pages: touched) }
  }
}

extension JSONWriter {
  package mutating func write(pages: DataPages.Counts) {
    let keys: [StaticString] = ["pages", "pages16k", "pages64k"]
    for (key, count) in zip(keys, pages) { member(key, count) }
  }
}
