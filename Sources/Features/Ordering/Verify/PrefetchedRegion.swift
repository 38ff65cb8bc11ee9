import Addresses
import ByteReading
import CommandSupport
import ImageModel
import JSON
import ObjectFormat
import OrderFileFormat
import OrderFileMatching
import PagesFormat
import Rendering

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
  /// The size of the ranges of constants and variables that the image prefetches, in bytes.
  package var dataBytes: UInt64 = 0
  /// The number of ranges of constants and variables that the image states, and the number of these ranges that it does
  /// not prefetch, because their segment has changed its size.
  package var dataRanges = 0
  package var dataOutside = 0
  /// The pages that a launch touched, compared with the prefetched pages; `nil` without a launch.
  package var launch: TouchedPagePrefetch?

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
  ///   - bytes: the image; `nil` if it is known from a link map alone.
  ///   - architecture: as for `OrderFile.parts`.
  /// - Returns: `nil` if the order file lists no anchors.
  /// - Complexity: O(*n* + *e*) for *n* functions and *e* entries, on average.
  init?(
    of order: OrderFile, in layout: Layout, _ bytes: FileBytes?, architecture: Architecture?
  ) {
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
    self.bytes = 0
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
    self.bytes = last.address.rawValue - first.address.rawValue
    guard self.bytes <= PrefetchSource.mostBytes(ofCode: layout.byteCount(of: listed)) else {
      state = .tooLarge
      return
    }
    state = .prefetched
    outside = bodies.count { $0 < first.address || last.address <= $0 }
    if let bytes { addData(of: bytes, at: first.address) }
  }

  private mutating func addData(of bytes: FileBytes, at anchor: StatedAddress) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes),
      let table = PrefetchTable(of: file, at: anchor)
    else { return }
    let ranges = table.addresses(in: file)
    dataRanges = ranges.count
    dataOutside = ranges.count { $0 == nil }
    dataBytes = ranges.compactMap { $0?.size }.saturatingSum()
  }

  /// A line of the report about the region.
  package var text: String {
    let reason =
      switch state {
      case .prefetched:
        "\(ByteCount(bytes).wording) of code\(dataText); "
          + "\(outside) of \(counted(functions, "listed function")) "
          + "(\(Percentage.share(outside, of: functions))) "
          + "\(outside == 1 ? "is" : "are") not in this code"
      case .noAnchors:
        "nothing: the image has no anchors; compile the source file of 'gen --prefetch', and link it into the image"
      case .reversed: "nothing: the last anchor is before the first; link with this order file"
      case .apart:
        "nothing: the anchors are in different sections; link with this order file"
      case .tooLarge:
        "nothing: \(ByteCount(bytes).wording) are between the anchors, more than twice the listed functions; "
          + "link with this order file"
      }
    let launch = launch.map { "\n  the launch: not prefetched are \($0.outsideText)" } ?? ""
    return "prefetched: \(reason)\(launch)"
  }

  /// `, and 116 KiB of constants and variables`
  private var dataText: String {
    guard dataRanges > 0 else { return "" }
    var text = ", and \(ByteCount(dataBytes).wording) of constants and variables"
    if dataOutside > 0 {
      text +=
        " (not \(dataOutside) of \(counted(dataRanges, "range")), because their segment has changed: "
        + "run 'orderfile gen' again)"
    }
    return text
  }
}

extension PrefetchedRegion: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("bytes", bytes)
    json.member("dataBytes", dataBytes)
    json.member("dataOutside", dataOutside)
    json.member("dataRanges", dataRanges)
    json.member("functions", functions)
    json.optional("launch", launch)
    json.member("outside", outside)
    json.member("state", state.rawValue)
  }
}
