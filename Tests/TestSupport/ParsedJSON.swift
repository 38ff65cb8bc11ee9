import Foundation
import Testing

/// The members of the JSON object that `bytes` are, as a parser that is not ours reads them.
package func parsedJSON(_ bytes: [UInt8]) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}
