import FaultEstimate
import JSON

extension Milliseconds: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: description) }
}
