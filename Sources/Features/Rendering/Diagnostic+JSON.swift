import ByteReading
import ImageModel
import JSON

extension Diagnostic: JSONReadableObject {
  /// Adds the diagnostic to an array, with its context and message in one string, and its hint.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      if let hint { json.member("hint", hint) }
      json.member("message", (context + [message]).joined(separator: ": "))
    }
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(try object.value("message"), hint: try object.optional("hint"))
  }
}
