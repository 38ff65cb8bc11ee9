// The search for the debug file of a stripped image. The object format determines where the file may be and how it is
// recognized; if the user names a file, only this file is tried. No file is opened here: the caller passes a function
// that opens files.

import ByteReading
import ImageModel

/// The possible places of an image's debug file.
package struct DebugFileRequest {
  /// A path at which the debug file may be.
  package struct Candidate: Hashable, Sendable {
    package var path: String
    /// The required checksum of the whole file; only ELF's `.gnu_debuglink` states a checksum.
    package var checksum: UInt32?
  }

  /// The possible places, in the order in which they are tried.
  package let candidates: [Candidate]
  /// Whether the user named the debug file.
  let isExplicit: Bool
  /// The error in the image's reference to its debug file.
  let problem: ParseError?

  /// - Parameters:
  ///   - path: the path of the image.
  ///   - debugFile: the path that the user named; nothing else is tried then.
  ///   - roots: folders that distributions install debug files in.
  init(
    for image: some ImageFile, at path: String, debugFile: String?,
    roots: [String] = Self.systemRoots
  ) {
    isExplicit = debugFile != nil
    (candidates, problem) = image.debugFileCandidates(at: path, named: debugFile, roots: roots)
  }

  package static let systemRoots = ["/usr/lib/debug"]
}

extension DebugFileRequest {
  /// The result of the search for a debug file.
  struct Outcome {
    var functions: NamedFunctions?
    /// The rejected candidates before the candidate that fits, each with the reason.
    var rejected: [(path: String, reason: Diagnostic)] = []

    /// One line for each rejected candidate; empty if none was tried.
    var rejections: String {
      rejected.map { "\n  tried \($0.path): \($0.reason)" }.joined()
    }

    /// Why the file that the user named does not fit; if the file has several candidates, the most specific reason.
    var refusal: Diagnostic? {
      let found = rejected.first { $0.reason.severity == .mismatch } ?? rejected.first
      guard let found else { return nil }
      var reason = found.reason
      reason.context.insert(found.path, at: 0)
      return reason
    }
  }

  /// Tries the candidates until one is the debug file of `image` and has symbols or DWARF.
  func search<File: ImageFile>(
    for image: File, opening open: (String) throws(SystemError) -> FileBytes
  ) -> Outcome {
    var outcome = Outcome()
    for candidate in candidates {
      do {
        let file = try image.debugFile(in: try open(candidate.path), candidate)
        outcome.functions = try Self.functions(of: image, in: file, candidate.path)
        return outcome
      } catch {
        let reason = error as? Diagnostic ?? Diagnostic("\(error)")
        outcome.rejected.append((candidate.path, reason))
      }
    }
    return outcome
  }

  private static func functions<File: ImageFile>(
    of image: File, in file: File, _ path: String
  ) throws -> NamedFunctions {
    if var functions = try image.functions(inSymbolsOf: file) {
      functions.source = .debugFile(path: path)
      return functions
    }
    guard var functions = try image.functions(inDWARFOf: file) else {
      throw Diagnostic("missing symbol table and .debug_info")
    }
    functions.source = .debugFileInformation(path: path)
    return functions
  }
}

extension Diagnostic {
  static var sectionMismatch: Diagnostic {
    Diagnostic(
      "section mismatch: expected the image's names, addresses and sizes", severity: .mismatch)
  }
}
