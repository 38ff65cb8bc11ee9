// The owner of each address over time: of guards or, without guards, of code.
//
// Images that are loaded at the same time have no address in common: an image that registers addresses of another image
// has replaced that image. So among the loaded images, sorted by start address, only the nearest image at or below an
// address can contain the address. The set of the loaded images is a bit set in that order.

import Addresses
import ImageModel
import TraceFormat

/// The images of a trace, and the image to which an address belonged.
struct TraceRegistrations {
  /// The images of the trace, in the order of their loads.
  private(set) var images: [TraceImage] = []
  private var spans: [Span] = []
  /// Indexes of `spans` sorted by the start of their ranges, and the position of each span in that order.
  private var order: [Int] = []
  private var places: [Int] = []
  /// The loads and unloads, in time order.
  private var changes: [Change] = []
  /// The number of elements of `changes` that have been applied to `loaded`.
  private var changeCount = 0
  private var loaded = SortedBits(count: 0)
  private var latest = 0
  /// How many more comparisons with images are allowed for addresses that no loaded image contains.
  private var comparisonsLeft = 1 << 26

  private struct Span {
    var range: Range<LoadedAddress>
    /// The slot of the image's load record.
    var loadedAt: Int
  }

  private struct Change {
    var slot: Int
    var span: Int
    var isLoad: Bool
  }

  /// - Parameter hasGuards: whether a hit is identified by its guard rather than by its address.
  /// - Complexity: O(*n* + *i*²/64) for *n* records and *i* loads.
  init(_ records: [TraceRecord], hasGuards: Bool) {
    for record in records {
      guard case .load(let number, let image) = record.event else { continue }
      let start = hasGuards ? image.guardStart : image.textStart
      let range = Range(start: start, size: hasGuards ? image.guardSize : image.textSize)
      spans.append(Span(range: range, loadedAt: record.slot))
      images.append(TraceImage(number, image))
    }
    order = spans.indices.sorted {
      (spans[$0].range.lowerBound, $0) < (spans[$1].range.lowerBound, $1)
    }
    places = [Int](repeating: 0, count: spans.count)
    for (place, span) in order.enumerated() { places[span] = place }
    loaded = SortedBits(count: spans.count)
    replay(records)
    loaded = SortedBits(count: spans.count)
  }

  /// Determines when each image was unloaded.
  private mutating func replay(_ records: [TraceRecord]) {
    var next = 0
    var newest: [UInt64: Int] = [:]
    for record in records {
      switch record.event {
      case .load(let number, _):
        let span = next
        next += 1
        newest[number] = span
        guard !spans[span].range.isEmpty else { continue }
        let place = places[span]
        while let other = loaded.last(upTo: place),
          spans[order[other]].range.overlaps(spans[span].range)
        {
          unload(order[other], at: record.slot)
        }
        while let other = loaded.first(from: place),
          spans[order[other]].range.overlaps(spans[span].range)
        {
          unload(order[other], at: record.slot)
        }
        changes.append(Change(slot: record.slot, span: span, isLoad: true))
        loaded.insert(place)
      case .unload(let number):
        if let span = newest[number] { unload(span, at: record.slot) }
      default: break
      }
    }
  }

  private mutating func unload(_ span: Int, at slot: Int) {
    guard loaded.contains(places[span]) else { return }
    loaded.remove(places[span])
    changes.append(Change(slot: slot, span: span, isLoad: false))
  }

  func guardStart(_ index: Int) -> LoadedAddress {
    spans[index].range.lowerBound
  }

  /// The image that a hit of `address` belongs to; `nil` if no image ever contained it.
  ///
  /// - Parameter slot: the slot of the hit; never less than in the call before.
  mutating func owner(of address: LoadedAddress, at slot: Int) -> Int? {
    while changeCount < changes.count, changes[changeCount].slot <= slot {
      let change = changes[changeCount]
      if change.isLoad {
        loaded.insert(places[change.span])
      } else {
        loaded.remove(places[change.span])
      }
      changeCount += 1
    }
    if latest < spans.count, loaded.contains(places[latest]), spans[latest].range.contains(address)
    {
      return latest
    }
    let above = order.partitioningIndex { spans[$0].range.lowerBound > address }
    if above > 0, let nearest = loaded.last(upTo: above - 1),
      spans[order[nearest]].range.contains(address)
    {
      latest = order[nearest]
      return latest
    }
    return ownerAtAnotherTime(of: address, at: slot)
  }

  /// The first image that registers `address` after `slot`, or else the last image that registered it before.
  private mutating func ownerAtAnotherTime(of address: LoadedAddress, at slot: Int) -> Int? {
    guard comparisonsLeft >= spans.count else { return nil }
    comparisonsLeft -= spans.count
    let holders = spans.indices.filter { spans[$0].range.contains(address) }
    return holders.first { spans[$0].loadedAt > slot } ?? holders.last
  }
}

/// A set of numbers below a given count, with neighbor queries.
private struct SortedBits {
  private var words: [UInt64]

  init(count: Int) { words = [UInt64](repeating: 0, count: count / 64 + 1) }

  func contains(_ number: Int) -> Bool { words[number / 64] >> (number % 64) & 1 == 1 }
  mutating func insert(_ number: Int) { words[number / 64] |= 1 << (number % 64) }
  mutating func remove(_ number: Int) { words[number / 64] &= ~(1 << (number % 64)) }

  /// The largest element that is at most `number`.
  func last(upTo number: Int) -> Int? {
    var index = number / 64
    var word = words[index] & (.max >> (63 - number % 64))
    while word == 0 {
      guard index > 0 else { return nil }
      index -= 1
      word = words[index]
    }
    return index * 64 + 63 - word.leadingZeroBitCount
  }

  /// The smallest element that is at least `number`.
  func first(from number: Int) -> Int? {
    var index = number / 64
    var word = words[index] & (.max << (number % 64))
    while word == 0 {
      index += 1
      guard index < words.count else { return nil }
      word = words[index]
    }
    return index * 64 + word.trailingZeroBitCount
  }
}
