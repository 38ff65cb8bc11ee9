import ByteReading
import LinkMapFormat
import ObjectFormat
import ProfileFormat
import TraceFormat

/// The kind of a file, recognized by its contents.
package enum FileKind: Sendable {
  case trace
  /// A profile: launches folded together.
  case profile
  /// Payloads: launches on devices, without names.
  case payload
  /// The file is machine code, linked or not, or an archive of object files.
  case objectFile(ObjectFile.Kind)
  case linkMap(LinkMapGrammar)
  /// The file is of another kind. It may be an order file, because the order files of some linkers are lists of names.
  case other

  /// - Complexity: O(1), except for a map of GNU ld or gold: O(*n*) for *n* bytes before its main part.
  package init(of bytes: FileBytes) {
    if TraceHeader.begins(bytes) {
      self = .trace
    } else if Profile.begins(bytes) {
      self = .profile
    } else if FieldPayload.begins(bytes) {
      self = .payload
    } else if let kind = ObjectFile.Kind(recognizing: bytes) {
      self = .objectFile(kind)
    } else if let grammar = try? LinkMapGrammar(of: bytes) {
      self = .linkMap(grammar)
    } else {
      self = .other
    }
  }

  /// Returns the words by which a message describes a file of this kind.
  package func wording(_ bytes: FileBytes) -> String {
    switch self {
    case .trace: "a trace"
    case .profile: "a profile"
    case .payload: "a payload"
    case .objectFile: "an image or an object file"
    case .linkMap(let grammar): "a link map of \(grammar.name)"
    case .other where bytes.count == 0: "an empty file"
    case .other where bytes.firstIndex(of: 0, in: 0..<min(bytes.count, 512)) == nil: "text"
    case .other: "other bytes"
    }
  }

  package var isObjectFile: Bool {
    if case .objectFile = self { true } else { false }
  }
}
