import Foundation
import Testing

/// Returns the members of the JSON object `bytes`, read by a parser that is not ours.
package func parsedJSON(_ bytes: [UInt8]) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}
