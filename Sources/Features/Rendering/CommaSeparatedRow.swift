/// Returns a row of comma-separated values, with its line break: <https://www.rfc-editor.org/rfc/rfc4180>.
package func commaSeparated(_ fields: [String]) -> String {
  fields.map(field).joined(separator: ",") + "\r\n"
}

/// Quotes a field if it has a comma, a quote or a line break.
private func field(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { ![0x22, 0x2c, 0x0a, 0x0d].contains($0) }
  guard !isPlain else { return text }
  return "\"" + text.escapingScalars { $0 == "\"" ? "\"\"" : nil } + "\""
}
