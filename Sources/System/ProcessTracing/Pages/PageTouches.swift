// The pages that a launch touched, by image
//
// Either method of withholding access reports events, in time order: a process begins a program, continues as a copy of
// another, loads an image; an instruction touches a page. This code reduces the events to one row for each page and
// kind of access: the first touch in all processes. If a parent touches a page before it forks, or two processes touch
// it separately, this is still one page of the file in memory.
//
// What happens to an image before its first instruction runs is kept apart: the loader relocates it and looks
// symbols up in it, while other images may run already. A page that was touched then is recorded again when it is
// touched afterwards.
//
// Images are identified by their paths and builds: another build may replace the file during a launch, and a process
// may see another file at the path. An address belongs to the image that its process last loaded there.

import Addresses
import ImageModel

/// The first touches of a launch.
package struct PageTouches: Sendable {
  package struct Touch: Hashable, Sendable {
    /// The index of the image in `images`.
    package var image: Int
    /// The first byte that was accessed on the page.
    package var address: RelativeAddress
    package var access: Access
    /// The instruction that touched the page; `nil` if the kernel did, before the program ran any instruction.
    package var instruction: Place?
    /// Whether no instruction of the image had run before.
    package var isLoading: Bool

    package init(
      image: Int, address: RelativeAddress, access: Access, instruction: Place?,
      isLoading: Bool = false
    ) {
      self.image = image
      self.address = address
      self.access = access
      self.instruction = instruction
      self.isLoading = isLoading
    }

    /// The address of the page's first byte.
    package var page: RelativeAddress {
      RelativeAddress(rawValue: address.rawValue & ~(MemoryPage.size - 1))
    }
  }

  /// The place of the instruction that touched a page.
  package enum Place: Hashable, Sendable {
    /// The instruction is in the image with this index in `images`.
    case inImage(Int, RelativeAddress)
    /// The address is outside of all images.
    case outside(LoadedAddress)
  }

  /// The images, in the order of their first load.
  package private(set) var images: [ImageInMemory] = []
  /// The touches in time order; one for each page and kind of access.
  package private(set) var touches: [Touch] = []
  /// The paths of images in memory that are not the file at their path. Their touches are not
  /// recorded.
  package private(set) var others: [String] = []
  /// Processes whose memory can't be accessed. Their touches are not recorded.
  package private(set) var inaccessible: [Int32] = []
  /// The paths of programs that ran without the rights that their files give, because they were traced.
  package private(set) var withoutRights: [String] = []
  /// The paths of the images whose loading was watched, too.
  package private(set) var loadingImages: [String] = []

  private struct Loaded {
    var addresses: Range<LoadedAddress>
    var image: Int
  }
  private struct Row: Hashable {
    var image: Int
    var page: RelativeAddress
    var access: Access
    var isLoading: Bool

    init(_ touch: Touch) {
      (image, page, access) = (touch.image, touch.page, touch.access)
      isLoading = touch.isLoading
    }
  }
  private var seen: Set<Row> = []
  private var imageIndexes: [ImageInMemory: Int] = [:]
  private var processes: [Int32: [Loaded]] = [:]

  package init() {}

  /// The touches that another process has recorded.
  init(
    images: [ImageInMemory], touches: [Touch], program: String?, loadingImages: [String],
    others: [String] = [], inaccessible: [Int32] = [], withoutRights: [String] = []
  ) {
    self.images = images
    self.inaccessible = inaccessible
    self.withoutRights = withoutRights
    self.others = others
    self.touches = touches
    self.program = program
    self.loadingImages = loadingImages
  }

  /// The path of the launched program; `nil` if nothing was seen.
  package var program: String?

  package mutating func processBegan(_ pid: Int32) { processes[pid] = [] }

  package mutating func processForked(_ pid: Int32, from parent: Int32) {
    processes[pid] = processes[parent]
  }

  package mutating func imageLoaded(
    _ image: ImageInMemory, at addresses: Range<LoadedAddress>, in pid: Int32
  ) {
    let known = imageIndexes[image] ?? images.firstIndex { $0.isBuild(image) }
    let index = known ?? images.count
    if known == nil { images.append(image) }
    imageIndexes[image] = index
    processes[pid, default: []].append(Loaded(addresses: addresses, image: index))
  }

  /// Notes that a process has loaded an image that is not the file at `path`.
  package mutating func isOther(_ path: String) {
    if !others.contains(path) { others.append(path) }
  }

  package mutating func isWithoutRights(_ program: String) {
    if !withoutRights.contains(program) { withoutRights.append(program) }
  }

  package mutating func isInaccessible(_ pid: Int32) {
    if !inaccessible.contains(pid) { inaccessible.append(pid) }
  }

  /// - Parameters:
  ///   - address: any address on the page; ignored if it is in no known image.
  ///   - instruction: `nil` if the kernel touched the page before the program ran any instruction.
  /// - Returns: the touch; `nil` if it was not the first.
  @discardableResult
  package mutating func touched(
    _ address: LoadedAddress, _ access: Access, by instruction: LoadedAddress?, in pid: Int32,
    isLoading: Bool = false
  ) -> Touch? {
    guard let (image, address) = place(of: address, in: pid) else { return nil }
    let touch = Touch(
      image: image, address: address, access: access,
      instruction: instruction.map { instruction in
        place(of: instruction, in: pid).map(Place.inImage) ?? .outside(instruction)
      }, isLoading: isLoading)
    guard seen.insert(Row(touch)).inserted else { return nil }
    touches.append(touch)
    return touch
  }

  /// Turns a recorded read into a write, because the access was part of a write.
  package mutating func becameWrite(_ touch: Touch) {
    guard let index = withdraw(touch) else { return }
    var write = touch
    write.access = .write
    if seen.insert(Row(write)).inserted { touches.insert(write, at: index) }
  }

  /// Removes a recorded access that was refused.
  ///
  /// - Returns: the index that the touch had in `touches`.
  @discardableResult
  package mutating func withdraw(_ touch: Touch) -> Int? {
    guard let index = touches.lastIndex(of: touch) else { return nil }
    seen.remove(Row(touch))
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

extension PageTouches {
  /// Returns these touches, preceded by the touches of `other` that happened while images were loaded. `other` is a
  /// launch of the same program.
  package func addingLoading(of other: PageTouches) -> PageTouches {
    var images = images
    var indexes: [Int: Int] = [:]
    func index(of image: Int) -> Int {
      if let index = indexes[image] { return index }
      let build = other.images[image]
      let known = images.firstIndex(of: build) ?? images.firstIndex { $0.isBuild(build) }
      let index = known ?? images.count
      if known == nil { images.append(build) }
      indexes[image] = index
      return index
    }
    let loading = other.touches.filter { $0.isLoading }.map { touch in
      var touch = touch
      touch.image = index(of: touch.image)
      if case .inImage(let image, let address) = touch.instruction {
        touch.instruction = .inImage(index(of: image), address)
      }
      return touch
    }
    return PageTouches(
      images: images, touches: loading + touches, program: program,
      loadingImages: other.images.map { $0.path },
      others: others + other.others.filter { !others.contains($0) },
      inaccessible: inaccessible + other.inaccessible.filter { !inaccessible.contains($0) },
      withoutRights: withoutRights + other.withoutRights.filter { !withoutRights.contains($0) })
  }
}
