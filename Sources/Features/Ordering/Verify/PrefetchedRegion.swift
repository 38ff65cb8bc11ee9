import Addresses
import ImageModel
import JSON
import OrderFileFormat
import Rendering
import Symbolication

/// The code between the anchors of an image, compared with the functions that the order file lists between the same
/// anchors.
package struct PrefetchedRegion: Hashable, Sendable {
  /// Whether the image prefetches the region when it starts, or why not.
  package enum State: String, CaseIterable, Sendable {
    /// The image prefetches the region.
    case prefetched
    /// The image prefetches nothing, because it has no anchors.
    case noAnchors = "no-anchors"
    /// The image prefetches nothing, because the last anchor is before the first anchor.
    case reversed
    /// The image prefetches nothing, because the anchors are in different sections.
    case apart
    /// The image prefetches nothing, because the region is more than twice as large as the listed functions.
    case tooLarge = "too-large"
  }

  package var state: State
  /// The size of the region, in bytes; 0 if there is no region.
  package var bytes: UInt64
  /// The number of functions of the image that the order file lists between the anchors. Functions at one address count
  /// once.
  package var functions: Int
  /// The number of these functions that the image does not prefetch.
  package var outside: Int

  package init(state: State, bytes: UInt64, functions: Int, outside: Int) {
    self.state = state
    self.bytes = bytes
    self.functions = functions
    self.outside = outside
  }
}

extension PrefetchedRegion {
  /// - Parameters:
  ///   - layout: the layout of the image.
  ///   - architecture: as for `OrderFile.parts`.
  /// - Returns: `nil` if the order file lists no anchors.
  /// - Complexity: O(*n* + *e*) for *n* functions and *e* entries, on average.
  init?(of order: OrderFile, in layout: Layout, architecture: Architecture?) {
    func place(of name: String) -> Int? {
      order.entries.firstIndex { $0.symbol.elementsEqual(name.utf8) }
    }
    guard let start = place(of: PrefetchAnchor.first), let end = place(of: PrefetchAnchor.last)
    else { return nil }
    let parts = order.parts(in: layout, architecture: architecture)
    func anchor(_ entry: Int) -> PlacedSymbol? {
      parts[entry].first.map { layout.functions[$0.function] }
    }
    let listed = start < end ? parts[(start + 1)..<end].joined().map(layout.canonical) : []
    let bodies = Set(listed.map { layout.functions[$0.function].address })
    functions = bodies.count
    bytes = 0
    outside = functions
    guard let first = anchor(start), let last = anchor(end) else {
      state = .noAnchors
      return
    }
    guard first.section == last.section else {
      state = .apart
      return
    }
    guard first.address <= last.address else {
      state = .reversed
      return
    }
    bytes = last.address.rawValue - first.address.rawValue
    guard bytes <= PrefetchSource.mostBytes(ofCode: layout.byteCount(of: listed)) else {
      state = .tooLarge
      return
    }
    state = .prefetched
    outside = bodies.count { $0 < first.address || last.address <= $0 }
  }

  /// A line of the report about the region.
  var text: String {
    let reason =
      switch state {
      case .prefetched:
        "\(ByteCount(bytes)) of code; "
          + "\(outside) of \(counted(functions, "listed function")) "
          + "(\(Percentage.share(outside, of: functions))) "
          + "\(outside == 1 ? "is" : "are") not in this code"
      case .noAnchors:
        "nothing: the image has no anchors; compile the source file of 'gen --prefetch', and link it into the image"
      case .reversed: "nothing: the last anchor is before the first; link with this order file"
      case .apart:
        "nothing: the anchors are in different sections; link with this order file"
      case .tooLarge:
        "nothing: \(ByteCount(bytes)) are between the anchors, more than twice the listed functions; "
          + "link with this order file"
      }
    return "prefetched: \(reason)"
  }
}

extension PrefetchedRegion: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("bytes", bytes)
    json.member("functions", functions)
    json.member("outside", outside)
    json.member("state", state.rawValue)
  }
}
