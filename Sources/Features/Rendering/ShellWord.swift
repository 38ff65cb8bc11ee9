/// Returns `text` quoted as one word for a shell.
package func shellWord(_ text: String) -> String {
  func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", "+", ":", ",", "%", "@", "=": true
    default: scalar.value >= 0xa0
    }
  }
  if !text.isEmpty, text.unicodeScalars.allSatisfy(isPlain) { return text }
  return "'"
    + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
