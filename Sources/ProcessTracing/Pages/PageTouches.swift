// The pages that a launch touched, by image
//
// Either method of withholding access reports events, in time order: a process begins a program, continues as
// a copy of another, loads an image; an instruction touches a page. This code reduces the events to one row
// for each page and kind of access, the first in all processes: a page that a parent touched before it
// forked, and one that two processes touched separately, are one page of the file in memory.
//
// Images are identified by their paths. An address belongs to the image that its process last loaded there.

import Addresses
import ImageModel

/// The first touches of a launch.
package struct PageTouches: Sendable {
  package struct Touch: Hashable, Sendable {
    /// Index into `images`.
    package var image: Int
    /// The page's first byte.
    package var page: RelativeAddress
    package var access: Access
    /// The instruction that touched it.
    package var instruction: Place
  }

  /// The place of an instruction.
  package enum Place: Hashable, Sendable {
    /// In the image with this index in `images`.
    case inImage(Int, RelativeAddress)
    /// Outside all images.
    case outside(LoadedAddress)
  }

  /// Paths, in the order of their first load.
  package private(set) var images: [String] = []
  /// In time order; one for each page and kind of access.
  package private(set) var touches: [Touch] = []

  private struct Loaded {
    var addresses: Range<LoadedAddress>
    var image: Int
  }
  private struct Row: Hashable {
    var image: Int
    var page: RelativeAddress
    var access: Access
  }
  private var seen: Set<Row> = []
  private var imageIndexes: [String: Int] = [:]
  private var processes: [Int32: [Loaded]] = [:]

  package init() {}

  /// The touches that another process has seen.
  init(images: [String], touches: [Touch], program: String?) {
    self.images = images
    self.touches = touches
    self.program = program
  }

  /// The path of the launched program; `nil` if nothing was seen.
  package var program: String?

  package mutating func processBegan(_ pid: Int32) { processes[pid] = [] }

  package mutating func processForked(_ pid: Int32, from parent: Int32) {
    processes[pid] = processes[parent]
  }

  package mutating func imageLoaded(
    _ path: String, at addresses: Range<LoadedAddress>, in pid: Int32
  ) {
    let index = imageIndexes[path] ?? images.count
    if index == images.count {
      images.append(path)
      imageIndexes[path] = index
    }
    processes[pid, default: []].append(Loaded(addresses: addresses, image: index))
  }

  /// - Parameter page: the address of its first byte; ignored if it is in no known image.
  /// - Returns: the touch; `nil` if it was not the first.
  @discardableResult
  package mutating func touched(
    _ page: LoadedAddress, _ access: Access, by instruction: LoadedAddress, in pid: Int32
  ) -> Touch? {
    guard let (image, page) = place(of: page, in: pid),
      seen.insert(Row(image: image, page: page, access: access)).inserted
    else { return nil }
    let touch = Touch(
      image: image, page: page, access: access,
      instruction: place(of: instruction, in: pid).map(Place.inImage) ?? .outside(instruction))
    touches.append(touch)
    return touch
  }

  /// An access recorded as a read turned out to be part of a write.
  package mutating func becameWrite(_ touch: Touch) {
    guard let index = withdraw(touch) else { return }
    var write = touch
    write.access = .write
    let row = Row(image: touch.image, page: touch.page, access: .write)
    if seen.insert(row).inserted { touches.insert(write, at: index) }
  }

  /// A recorded access was refused.
  ///
  /// - Returns: its place.
  @discardableResult
  package mutating func withdraw(_ touch: Touch) -> Int? {
    guard let index = touches.lastIndex(of: touch) else { return nil }
    seen.remove(Row(image: touch.image, page: touch.page, access: touch.access))
    touches.remove(at: index)
    return index
  }

  /// - Returns: `nil` outside all images.
  private func place(
    of address: LoadedAddress, in pid: Int32
  ) -> (image: Int, address: RelativeAddress)? {
    guard let loaded = processes[pid]?.last(where: { $0.addresses.contains(address) }),
      let relative = RelativeAddress(address, from: loaded.addresses.lowerBound)
    else { return nil }
    return (loaded.image, relative)
  }
}
