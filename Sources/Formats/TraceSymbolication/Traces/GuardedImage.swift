// From the number of a guard to its function: payloads have no names, so the recorded image must have them. Its table of
// callbacks (pc-table) is parallel to its guards. A payload states a hash of this table, because two builds can have one
// image ID: a linker can be told to write any ID.

import Addresses
import ImageModel
import Symbolication
import TraceFormat

/// A recorded image, with the function of each of its guards.
package struct GuardedImage: Sendable {
  package let image: Image
  /// The function of each guard.
  package let functions: [Function]
  /// The hash of the functions, as a payload states it.
  package let hash: UInt64
  /// The range of the image's code.
  package let text: AddressRange

  /// A function that has a guard.
  package struct Function: Sendable {
    /// The first byte of the function's body or, if the body is unknown, the address in the table.
    package var address: StatedAddress
    /// The names; `nil` for code without a name.
    package var body: RecordedImage.Body?
  }

  /// - Returns: `nil` if the image has no guards, or does not list a function for each guard.
  /// - Complexity: O(*g* log *n*) for *g* guards and *n* functions.
  package init?(_ image: Image) {
    guard let places = image.callbackPlaces, let guards = image.guards, !places.isEmpty,
      UInt64(places.count) == guards.size / 4
    else { return nil }
    self.image = image
    let recorded = RecordedImage(image)
    functions = places.map { place in
      let body = recorded.body(holding: place)
      return Function(address: body?.address ?? place, body: body)
    }
    hash = FieldPayload.hash(ofEntries: places)
    let code = image.layout.sections.filter(\.isExecutable).map(\.range)
    let start = code.map(\.start).min() ?? StatedAddress(rawValue: 0)
    let end = code.map(\.end).max() ?? start
    text = AddressRange(start: start, size: end.rawValue - start.rawValue)
  }

  /// Whether `table`, of a payload from `machine`, is of this image.
  package func matches(_ table: FieldPayload.Table, machine: UInt32) -> Bool {
    // A payload may state more bits than a machine has: such a payload is of no image.
    guard machine <= UInt32(UInt16.max) else { return false }
    // A trace does not distinguish Apple's arm64 with pointer authentication from arm64.
    let architecture = image.architecture == .arm64e ? .arm64 : image.architecture
    return image.id == table.imageID && hash == table.hash && functions.count == table.guardCount
      && Architecture(machine: machine) == architecture
  }
}

extension FieldPayload.Table {
  /// The ID of the image; `nil` if its kind is unknown.
  package var imageID: ImageID? {
    ImageID.Kind(rawValue: idKind).map { ImageID(kind: $0, bytes: id) }
  }
}
