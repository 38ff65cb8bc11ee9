import ImageModel
import LibC

extension Diagnostic {
  /// The error that a call of the C library failed: "unable to write: No space left on device".
  ///
  /// - Parameters:
  ///   - purpose: what the call was for: `write`.
  ///   - number: the reason by its number in `errno.h`; by default that of this thread's last failed call.
  package static func unable(
    to purpose: String, _ path: String, _ number: Int32 = errno, hint: String? = nil
  ) -> Diagnostic {
    Diagnostic("unable to \(purpose): \(errorText(number))", context: [path], hint: hint)
  }
}
