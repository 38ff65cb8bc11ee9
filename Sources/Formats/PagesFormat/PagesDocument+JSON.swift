// The output of `orderfile pages --json`, in addition to its schema.
//
//     command[]       the words of the command
//     exitStatus      or signal: how it ended
//     method          how the touches were seen: "preload", "ptrace"
//     nextSteps[]     kind, reason, commands: the steps that would save pages; absent if they were not computed
//     images[]        id, architecture, path
//       pages[]       address (of a page of 4 KiB), access, segment, step, pc of the instruction and its
//                     function; null where they are not known; pcImage if that is another image; accessor,
//                     and what it accessed: touched, section, symbol
//       loading[]     the same for reads and writes before the first instruction of the image; absent if
//                     they were not counted
//       sections[], accessors[], dataTotal
//                     numbers of pages that were read or written (DataPages), with loading
//       memory        resident memory in launches in which no page was counted (MemoryFigures); absent without --memory
//       prefetch      the pages that the image prefetches (TouchedPagePrefetch); absent if it prefetches nothing
//       filePages[]   how many pages of pageSizeBytes the file fills: text, readOnly, data
//       textPages, textPages16k, ...
//                     counts of pages[]; a reader computes them itself

import ByteReading
import ImageModel
import JSON

/// This extension writes and reads the members itself, because the end of the launch is in one of two members.
extension PagesDocument: ReadableDocument {
  package static let schema = "orderfile.pages/1"

  /// Whether `bytes` are such a document, of this version or of another version.
  package static func begins(_ bytes: FileBytes) -> Bool {
    guard bytes.hasPrefix("{", at: 0) else { return false }
    var cursor = JSONCursor(bytes)
    let schema: String? = try? JSONObject(parsing: &cursor, "document").value("schema")
    return schema?.hasPrefix("orderfile.pages/") ?? false
  }

  package func writeMembers(to json: inout JSONWriter) {
    json.member("command", command)
    if case .exited(let status) = end { json.member("exitStatus", status) }
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.writeMembers(to: &$0) } }
    }
    json.member("method", method)
    if !nextSteps.isEmpty { json.member("nextSteps", nextSteps) }
    json.member("schema", Self.schema)
    if case .killed(let signal) = end { json.member("signal", signal) }
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    command = try object.value("command")
    method = try object.value("method")
    images = try object.value("images")
    nextSteps = try object.optional("nextSteps") ?? []
    if let signal: Int = try object.optional("signal") {
      end = .killed(signal: signal)
    } else {
      end = .exited(try object.value("exitStatus"))
    }
  }
}

/// This extension writes and reads the members itself, because the counts follow from the pages.
extension PagesDocument.Image: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    let data = DataPages(of: self)
    let isKnown = loading != nil || !data.rows.isEmpty
    if isKnown {
      json.member("accessors", data.shares)
    }
    json.optional("architecture", image.architecture)
    json.member("dataPages", count(of: .data))
    if isKnown { json.object("dataTotal") { $0.write(pages: data.total) } }
    json.member("filePages", filePages)
    json.member("id", id)
    json.optional("loading", loading)
    json.optional("memory", memory)
    json.member("pages", pages)
    json.member("path", path)
    json.optional("prefetch", prefetch)
    json.member("readOnlyPages", count(of: .readOnly))
    if isKnown {
      json.member("sections", data.rows)
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
    memory = try object.optional("memory")
    prefetch = try object.optional("prefetch")
  }
}

extension PagesDocument.FilePages: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("pageSizeBytes", \.pageSize), member("text", \.text),
    member("readOnly", \.readOnly), member("data", \.data))
}

/// This extension writes and reads the members itself, because some members are `null` and some are missing if they are
/// unknown, and a document has thousands of pages.
extension PagesDocument.Page: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("access", access.rawValue)
    json.optional("accessor", accessor?.rawValue)
    json.member("address", address)
    json.member("function", function)
    json.member("pc", instruction)
    json.optional("pcImage", instructionImage)
    json.optional("section", section)
    json.member("segment", segment.rawValue)
    json.member("step", step)
    json.optional("symbol", symbol)
    json.optional("touched", touched)
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

extension DataPages.Row: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("accessor", accessor.rawValue)
    json.write(pages: pages)
    json.member("section", section)
    json.member("segment", segment.rawValue)
  }
}

extension DataPages.Share: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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
