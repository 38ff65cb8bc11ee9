import ByteReading
import ImageModel
import Symbolication
import TraceSymbolication

/// The facts about an image that matter for recording and ordering it.
package struct ImageFacts: Sendable {
  package var image: Image
  /// Facts about the build; `nil` for formats other than ELF.
  package var build: BuildFacts?
  /// How much of the code has callbacks; `nil` if the image is not instrumented, or if the amount is unknown.
  package var recordable: RecordableCode?
  /// The number of functions that can get a breakpoint; `nil` if breakpoints can't be used on this machine.
  package var breakpoints: Int?
  /// Whether this machine can run the image.
  package var isOfThisMachine: Bool

  package init(
    image: Image, build: BuildFacts? = nil, recordable: RecordableCode? = nil,
    breakpoints: Int? = nil, isOfThisMachine: Bool = true
  ) {
    self.image = image
    self.build = build
    self.recordable = recordable
    self.breakpoints = breakpoints
    self.isOfThisMachine = isOfThisMachine
  }

  /// Examines `image`, whose file is `bytes`.
  package init(_ image: Image, in bytes: FileBytes) {
    self.image = image
    build = BuildFacts(of: bytes, image.layout)
    recordable =
      image.guards == nil ? nil : (try? RecordableCode(of: image, in: bytes, by: .callback)) ?? nil
    let places = try? BreakpointPlaces(of: bytes, at: image.path)
    isOfThisMachine = places?.machine == BreakpointPlaces.ownMachine
    breakpoints = isOfThisMachine ? places?.functions.count : nil
  }
}
