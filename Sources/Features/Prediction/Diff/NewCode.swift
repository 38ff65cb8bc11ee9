import ImageModel
import JSON
import Rendering

/// The code of two layouts that the recorded build lacks. No trace shows whether a launch runs this code.
package struct NewCode: Hashable, Sendable {
  /// The build that the layouts were compared with to find new code.
  package enum Reference: String, CaseIterable, Sendable {
    case recordedImage
    /// The recorded image is gone, and neither layout is of this image: the layout after was compared with the layout
    /// before.
    case otherLayout
  }

  package struct Side: Hashable, Sendable {
    package var functions: Int
    /// The size of the new functions.
    package var bytes: UInt64
    /// The size of all functions of the layout.
    package var allBytes: UInt64
    /// The names of the largest new functions, at most ten, largest first.
    package var largest: [SymbolName]

    package init(
      functions: Int = 0, bytes: UInt64 = 0, allBytes: UInt64 = 0, largest: [SymbolName] = []
    ) {
      self.functions = functions
      self.bytes = bytes
      self.allBytes = allBytes
      self.largest = largest
    }
  }

  package var reference: Reference
  /// The new code of the layout before; `nil` if it is unknown.
  package var before: Side?
  package var after: Side?

  package init(comparedWith reference: Reference, before: Side?, after: Side?) {
    self.reference = reference
    self.before = before
    self.after = after
  }
}

extension NewCode.Side {
  /// Returns the new functions as text, such as `12 functions (3.4 KiB): parse, scan and 10 more`.
  package func wording(_ names: NameWording) -> String {
    let shown = largest.prefix(3).map { printable(names($0)) }
    let rest = functions - shown.count
    return "\(counted(functions, "function")) (\(ByteCount(bytes).wording)): "
      + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

// MARK: JSON

extension NewCode: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("comparedWith", \.reference), optionalMember("before", \.before),
    optionalMember("after", \.after))
}

extension NewCode.Side: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, countMember("functions", \.functions), member("bytes", \.bytes),
    member("allBytes", \.allBytes), member("largest", \.largest))
}

extension NewCode.Reference: JSONReadable, JSONValue {}
