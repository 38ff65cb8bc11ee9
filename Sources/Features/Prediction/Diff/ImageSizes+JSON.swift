import ByteReading
import ImageModel
import JSON

extension ImageSizes: JSONReadableObject {
  func write(to json: inout JSONWriter) {
    json.member("codeBytes", codeBytes)
    json.member("fileBytes", fileBytes)
    json.member("sections", sections)
    json.member("symbolTableBytes", symbolTableBytes)
    json.member("symbols", symbols)
    json.member("unwindBytes", unwindBytes)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      fileBytes: try object.value("fileBytes"), sections: try object.count("sections"),
      codeBytes: try object.value("codeBytes"), unwindBytes: try object.value("unwindBytes"),
      symbolTableBytes: try object.value("symbolTableBytes"),
      symbols: try object.count("symbols"))
  }
}
