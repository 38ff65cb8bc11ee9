import ByteReading
import ImageModel
import Symbolication

/// What an image shows that matters for recording and ordering it.
package struct ImageFacts: Sendable {
  package var image: Image
  /// `nil` for another format than ELF.
  package var build: BuildFacts?
  /// How much of the code has callbacks; `nil` if it is not instrumented, or if this is unknown.
  package var recordable: RecordableCode?
  /// How many functions can get a breakpoint; `nil` if none can here.
  package var breakpoints: Int?
  /// Whether this machine can run it.
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
