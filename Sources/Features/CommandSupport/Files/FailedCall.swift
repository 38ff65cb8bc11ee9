import ImageModel
import LibC

extension Diagnostic {
  /// Returns the error about a failed call of the C library: "unable to write: No space left on device".
  ///
  /// - Parameters:
  ///   - purpose: what the call was for: `write`.
  ///   - number: the reason by its number in `errno.h`. The default is the number of the last failed call of this
  ///     thread.
  package static func unable(
    to purpose: String, _ path: String, _ number: Int32 = errno, hint: String? = nil
  ) -> Diagnostic {
    Diagnostic("unable to \(purpose): \(errorText(number))", context: [path], hint: hint)
  }
}
