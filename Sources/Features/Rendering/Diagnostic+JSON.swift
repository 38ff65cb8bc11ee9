import ByteReading
import ImageModel
import JSON

/// This extension writes and reads the members itself, because the context is written as part of the message.
extension Diagnostic: JSONReadableObject, JSONWritableObject {
  /// The context and the message are one string.
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("hint", hint)
    json.member("message", (context + [message]).joined(separator: ": "))
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(try object.value("message"), hint: try object.optional("hint"))
  }
}
