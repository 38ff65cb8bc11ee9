import ImageModel
import Symbolication
import TraceFormat
import TraceSymbolication

/// The recorded images to which payloads belong, which the user names: a payload has no paths.
package struct PayloadImages: Sendable {
  /// The images, in the order of their paths on the command line.
  package private(set) var images: [GuardedImage] = []
  /// The paths of the images on the command line, parallel to `images`.
  package let paths: [String]
  package private(set) var warnings: [Diagnostic] = []

  /// - Throws: an error if an image can't be read, or does not show the functions of its guards.
  package init(_ paths: [String], _ architecture: Architecture?) throws(Diagnostic) {
    self.paths = paths
    for path in paths {
      let wrapper = LibtoolWrapper(at: path)
      let (image, problems) = try Image.reading(
        path: wrapper?.program ?? path, slice: SliceChoice(architecture))
      warnings += [wrapper?.note].compactMap { $0 } + problems
      guard let guarded = GuardedImage(image) else {
        throw Diagnostic(
          "missing the table of functions: only an image that was compiled with pc-table can be in a payload",
          context: [path],
          hint: "compile with -fsanitize-coverage=func,trace-pc-guard,pc-table",
          severity: .mismatch)
      }
      images.append(guarded)
    }
  }

  /// Returns the index of the image to which `table`, of a payload from `machine`, belongs; `nil` if it is another build.
  package func index(of table: FieldPayload.Table, machine: UInt32) -> Int? {
    images.firstIndex { $0.matches(table, machine: machine) }
  }
}
