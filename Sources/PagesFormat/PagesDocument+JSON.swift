// The output of `orderfile pages --json`, in addition to its schema.
//
//     command[]       the words of the command
//     exitStatus      or signal: how it ended
//     method          how the touches were seen: "preload", "ptrace"
//     images[]        id, architecture, path
//       pages[]       address (of a page of 4 KiB), access, segment, step, pc of the instruction and its
//                     function; null where they are not known; pcImage if that is another image
//       filePages[]   how many pages of pageSizeBytes the file fills: text, readOnly, data
//       textPages, textPages16k, ...
//                     counts of pages[]; a reader computes them itself

import ByteReading
import ImageModel
import JSON

extension PagesDocument: ReadableDocument {
  package static let schema = "orderfile.pages/1"

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
    if let architecture = image.architecture { json.member("architecture", architecture) }
    json.member("dataPages", count(of: .data))
    json.array("filePages") { json in
      for pages in filePages { json.object { pages.write(to: &$0) } }
    }
    json.member("id", id)
    json.array("pages") { json in
      for page in pages { json.object { page.write(to: &$0) } }
    }
    json.member("path", path)
    json.member("readOnlyPages", count(of: .readOnly))
    json.member("textPages", textCount(executed: true))
    json.member("textPages16k", textCount(executed: true, .sixteenKibibytes))
    json.member("textPages64k", textCount(executed: true, .sixtyFourKibibytes))
    json.member("textPagesRead", textCount(executed: false))
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      try ImageReference(object), pages: try object.value("pages"),
      filePages: try object.optional("filePages") ?? [])
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
    json.member("address", address)
    json.member("function", function)
    json.member("pc", instruction)
    if let instructionImage { json.member("pcImage", instructionImage) }
    json.member("segment", segment.rawValue)
    json.member("step", step)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      access: try object.value("access"), address: try object.value("address"),
      segment: try object.value("segment"), function: try object.optional("function"),
      instruction: try object.optional("pc"), instructionImage: try object.optional("pcImage"),
      step: try object.value("step"))
  }
}
