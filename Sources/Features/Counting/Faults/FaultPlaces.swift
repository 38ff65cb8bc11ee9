// From addresses in processes to places in files
//
// A fault has an address in a process. The mapping of the process at that address gives the file and an offset in it.
// In an image, a file offset has a stated address. On a page of the file where two segments meet, an offset has two
// stated addresses. The right one is the one whose slide is the slide of the image in this process, which its first
// segment shows. Memory after the last byte that the file fills (`.bss`) is mapped without a file, so that only the
// slide leads to the image.

import Addresses
import ByteReading
import ImageModel
import LaunchMeasurement
import OrderFileMatching
import Symbolication

/// Translates the faults of a launch. All events of the launch must be passed to it, in the order of time.
struct FaultPlaces {
  /// The files with faults so far; the program's file comes first.
  private(set) var files: [ImageReference] = []
  private(set) var faults: [FaultsDocument.Fault] = []
  /// The number of faults that are left out because a document has no room for them.
  private(set) var leftOut = 0
  /// The number of major faults on pages that images prefetch; `nil` if no image with a fault prefetches.
  private(set) var prefetchedFaults: Int?

  private var mappings = ProcessMappings()
  private var known: [String: KnownImage?] = [:]
  private var numbers: [String: Int] = [:]
  /// The loads of images by process, in the order in which they were mapped.
  private var loads: [Int32: [Load]] = [:]
  private var (processes, threads): ([Int32: Int], [Int32: Int]) = ([:], [:])
  private let start: UInt64
  private let end: UInt64

  private struct KnownImage {
    var reference: ImageReference
    var pages: ImagePages
    var contents: ImageContents
    var prefetched: PrefetchedPages?

    func byte(at address: StatedAddress) -> FaultsDocument.Byte {
      FaultsDocument.Byte(
        address: address, segment: pages.segment(holding: address) ?? .data,
        section: contents.section(at: address), symbol: contents.symbol(at: address))
    }
  }

  private struct Load {
    var path: String
    var slide: Slide
  }

  /// - Parameters:
  ///   - program: the path of the program's file, without symbolic links.
  ///   - start: the time just before exec, in nanoseconds of the events' clock.
  ///   - end: the time at which the launch was over; later faults are ignored.
  init(program: String, from start: UInt64, to end: UInt64) {
    self.start = start
    self.end = end
    _ = number(ofFile: program)
  }

  mutating func add(_ event: PageFaultEvent) {
    mappings.note(event)
    switch event {
    case .fork(let process, let parent):
      if process != parent { loads[process] = loads[parent] }
    case .exec(let process): loads[process] = nil
    case .mapping(let mapping, let process):
      guard let first = image(at: mapping.path)?.pages.mappings.first,
        first.fileOffset == mapping.fileOffset
      else { return }
      let slide = Slide(from: first.range.start, to: mapping.addresses.lowerBound)
      loads[process, default: []].append(Load(path: mapping.path, slide: slide))
    case .fault(let fault): add(fault)
    }
  }

  private mutating func add(_ fault: PageFault) {
    guard (start...max(start, end)).contains(fault.start) else { return }
    guard faults.count < FaultsDocument.mostFaults else {
      leftOut += 1
      return
    }
    let place = place(of: fault.address, in: fault.process)
    countPrefetched(place, isMajor: fault.isMajor)
    var instruction: FaultsDocument.Instruction?
    if case .image(let file, let byte) = self.place(of: fault.instruction, in: fault.process) {
      instruction = FaultsDocument.Instruction(
        file: file, address: byte.address, function: byte.symbol)
    }
    faults.append(
      FaultsDocument.Fault(
        nanoseconds: fault.start - start,
        handlingNanoseconds: fault.end - min(fault.start, fault.end),
        kind: fault.isMajor ? .major : .minor,
        process: Self.number(of: fault.process, in: &processes),
        thread: Self.number(of: fault.thread, in: &threads), place: place,
        instruction: instruction))
  }

  private mutating func countPrefetched(_ place: FaultsDocument.Place, isMajor: Bool) {
    guard case .image(let file, let byte) = place,
      let pages = image(at: files[file].path)?.prefetched
    else { return }
    prefetchedFaults = (prefetchedFaults ?? 0) + (isMajor && pages.contains(byte.address) ? 1 : 0)
  }

  private static func number(of id: Int32, in known: inout [Int32: Int]) -> Int {
    let number = known[id] ?? known.count + 1
    known[id] = number
    return number
  }

  // MARK: Places

  private mutating func place(
    of address: LoadedAddress, in process: Int32
  ) -> FaultsDocument.Place {
    let mapping = mappings.mapping(of: process, at: address)
    guard let mapping, mapping.isOfFile else {
      return unfilledPlace(of: address, in: process) ?? .memory(mapping?.memory ?? "anonymous")
    }
    // If the offset overflows, the mapping claims to end after the largest possible file, and its own offset is used.
    let offset =
      mapping.fileOffset.advanced(by: address - mapping.addresses.lowerBound)
      ?? mapping.fileOffset
    let file = number(ofFile: mapping.path)
    guard let image = image(at: mapping.path) else { return .file(file, offset) }
    let stated = image.pages.addresses(of: offset)
    let slides = (loads[process] ?? []).filter { $0.path == mapping.path }.map(\.slide)
    let found = stated.first { one in slides.contains { one.loaded(slide: $0) == address } }
    guard let found = found ?? stated.first else { return .file(file, offset) }
    return .image(file: file, image.byte(at: found))
  }

  /// Returns the place in an image of memory that the image's file does not fill.
  private mutating func unfilledPlace(
    of address: LoadedAddress, in process: Int32
  ) -> FaultsDocument.Place? {
    for load in (loads[process] ?? []).reversed() {
      let stated = address.stated(slide: load.slide)
      guard let image = image(at: load.path), stated >= image.pages.start,
        image.contents.section(at: stated) != nil
      else { continue }
      return .image(file: number(ofFile: load.path), image.byte(at: stated))
    }
    return nil
  }

  private mutating func number(ofFile path: String) -> Int {
    if let number = numbers[path] { return number }
    numbers[path] = files.count
    files.append(image(at: path)?.reference ?? ImageReference(path: path))
    return files.count - 1
  }

  /// - Returns: the image at `path`; `nil` if the file is no image, or can't be read.
  private mutating func image(at path: String) -> KnownImage? {
    if let image = known[path] { return image }
    var image: KnownImage?
    if path.hasPrefix("/"), let bytes = try? FileBytes(regularFileAt: path),
      let pages = try? ImagePages(of: bytes), let contents = try? ImageContents(of: bytes)
    {
      image = KnownImage(
        reference: ImageReference(path: path, bytes), pages: pages, contents: contents,
        prefetched: PrefetchedPages(of: bytes))
    }
    known[path] = .some(image)
    return image
  }
}

extension PageFaultEvent.Mapping {
  fileprivate var isOfFile: Bool { path.hasPrefix("/") && !path.hasPrefix("//") }

  /// The kernel's word for the memory, without its punctuation: `heap`, `stack`, `vdso`.
  fileprivate var memory: String {
    guard path.hasPrefix("["), path.hasSuffix("]"), path.utf8.count > 2 else { return "anonymous" }
    return String(path.dropFirst().dropLast())
  }
}
