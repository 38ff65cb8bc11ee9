import FaultEstimate
import ImageModel
import JSON

extension SymbolName: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(text: bytes[...]) }
}

extension Milliseconds: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: description) }
}
