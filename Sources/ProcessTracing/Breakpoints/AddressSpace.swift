import Addresses
import CPtrace

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of a traced process, which all its threads share: the loaded images and the planted
/// breakpoints.
final class AddressSpace {
  let memory: ProcessMemory
  private(set) var images: [Image] = []
  /// Where the program begins, until a thread has come there: before, the loader maps the libraries.
  private(set) var entry: PlantedBreakpoint?
  /// Breakpoints that stay: in what the loader calls when it has mapped or unmapped a library, and in what
  /// the program calls for a mark.
  private var lasting: [LastingBreakpoint] = []
  /// Whether SIGTRAP was blocked when the program began.
  let blocksTrap: Bool

  struct Image {
    var loaded: LoadedImage
    /// The function at whose first use the launch is over.
    var end: LoadedAddress?
    var breakpoints: BreakpointSet
  }

  private struct LastingBreakpoint {
    var purpose: Stop.Purpose
    var breakpoint: PlantedBreakpoint
    var wasReached = false
  }

  /// - Returns: `nil` if the process is gone.
  init?(of pid: pid_t, forkedFrom other: AddressSpace? = nil) {
    guard let memory = ProcessMemory(of: pid) else { return nil }
    self.memory = memory
    if let other {
      images = other.images
      entry = other.entry
      lasting = other.lasting
      blocksTrap = other.blocksTrap
    } else {
      var mask: UInt64 = 0
      blocksTrap = ctrace_blocked_signals(pid, &mask) == 0 && mask & trapBit != 0
    }
  }

  /// The process that it was made for.
  var pid: pid_t { memory.pid }

  /// Whether the loader still maps the libraries that the program begins with.
  var isStarting: Bool { entry != nil }

  /// Plants the breakpoints that tell when libraries are mapped: one at the program's entry point, and one in
  /// its loader. A program without a loader needs neither, a running one only the second.
  func watchLoader(isRunning: Bool, _ notice: (_ path: String) -> BreakpointImage?) {
    guard let program = AuxiliaryVector(of: pid), let base = program.loaderBase else { return }
    if !isRunning { entry = PlantedBreakpoint(at: program.entry, in: memory) }
    let mappings = ProcessMapping.files(of: pid)
    guard let loader = mappings.first(where: { $0.addresses.contains(base) }),
      let image = notice(loader.path), let address = image.loaderNotice
    else { return }
    for mapping in mappings where mapping.file == loader.file && mapping.isExecutable {
      guard let slide = image.slide(of: mapping) else { continue }
      plantLasting(.loaderNotice, address.loaded(slide: slide))
    }
  }

  /// Reads the mappings, plants breakpoints in new images, and forgets those that are gone.
  ///
  /// - Parameter wanted: the information about the image at a path; `nil` if it is left alone.
  /// - Returns: the new images, and those that are gone.
  func refresh(
    _ wanted: (_ path: String) -> BreakpointImage?
  ) -> (loaded: [LoadedImage], unloaded: [LoadedImage]) {
    let mappings = ProcessMapping.files(of: pid).filter { $0.isExecutable }
    // A program may have split a mapping by changing the protection of a part.
    func holds(_ mapping: ProcessMapping, _ image: Image) -> Bool {
      let known = image.breakpoints.mapping
      return known.file == mapping.file && known.addresses.overlaps(mapping.addresses)
    }
    let gone = images.filter { image in !mappings.contains { holds($0, image) } }
    images.removeAll { image in !mappings.contains { holds($0, image) } }
    for image in gone {
      lasting.removeAll { image.loaded.text.contains($0.breakpoint.address) }
    }
    for index in images.indices where !images[index].breakpoints.isInPlace(memory) {
      images[index].breakpoints.plantAgain(memory)
      plantLastingAgain(in: images[index].loaded.text)
    }
    var loaded: [LoadedImage] = []
    for mapping in mappings where !images.contains(where: { holds(mapping, $0) }) {
      guard let image = wanted(mapping.path), let slide = image.slide(of: mapping) else { continue }
      let new = LoadedImage(path: mapping.path, slide: slide, text: mapping.addresses)
      if let mark = image.mark { plantLasting(.mark, mark.loaded(slide: slide)) }
      let single = [entry?.address] + lasting.map { $0.breakpoint.address }
      let functions = image.functions.lazy.map { $0.loaded(slide: slide) }
        .filter { !single.contains($0) }
      images.append(
        Image(
          loaded: new, end: image.end.map { $0.loaded(slide: slide) },
          breakpoints: BreakpointSet(functions, in: mapping, memory)))
      loaded.append(new)
    }
    return (loaded, gone.map { $0.loaded })
  }

  private func plantLasting(_ purpose: Stop.Purpose, _ address: LoadedAddress) {
    guard !lasting.contains(where: { $0.breakpoint.address == address }),
      let breakpoint = PlantedBreakpoint(at: address, in: memory)
    else { return }
    lasting.append(LastingBreakpoint(purpose: purpose, breakpoint: breakpoint))
  }

  private func plantLastingAgain(in text: Range<LoadedAddress>) {
    for index in lasting.indices where text.contains(lasting[index].breakpoint.address) {
      let address = lasting[index].breakpoint.address
      if let again = PlantedBreakpoint(at: address, in: memory), !again.isSecond {
        lasting[index].breakpoint = again
      }
    }
  }

  /// Restores the instruction at the program's entry point.
  func endStart() {
    entry?.expose(in: memory)
    entry = nil
  }

  /// Puts the instruction at the lasting breakpoint `address` back for one step, or the breakpoint after it.
  func expose(_ isExposed: Bool, _ address: LoadedAddress) {
    let breakpoint = lasting.first { $0.breakpoint.address == address }?.breakpoint
    if isExposed { breakpoint?.expose(in: memory) } else { breakpoint?.plantAgain(in: memory) }
  }

  /// The event at one of our breakpoints.
  struct Stop {
    enum Purpose { case function, entry, loaderNotice, mark }
    var purpose: Purpose
    /// The function that was entered for the first time, by the address of its first byte. `nil` also at
    /// a breakpoint that was removed while another thread was at it, or that a fork copied.
    var firstHit: (image: LoadedImage, function: LoadedAddress)?
    /// Whether the launch ends here.
    var isEnd = false
  }

  /// Removes the breakpoint at `address`, unless it must stay.
  ///
  /// - Returns: `nil` if none of ours was ever there.
  func takeBreakpoint(at address: LoadedAddress) -> Stop? {
    if address == entry?.address { return stop(.entry, at: address, isFirst: true) }
    if let index = lasting.firstIndex(where: { $0.breakpoint.address == address }) {
      let isFirst = !lasting[index].wasReached
      lasting[index].wasReached = true
      return stop(lasting[index].purpose, at: address, isFirst: isFirst)
    }
    for i in images.indices {
      guard let index = images[i].breakpoints.index(of: address) else { continue }
      let breakpoint = images[i].breakpoints.breakpoints[index]
      images[i].breakpoints.remove(index, memory)
      return stop(.function, at: breakpoint.function, isFirst: breakpoint.isPlanted)
    }
    return nil
  }

  private func stop(_ purpose: Stop.Purpose, at function: LoadedAddress, isFirst: Bool) -> Stop {
    var stop = Stop(purpose: purpose)
    if isFirst, let image = images.first(where: { $0.loaded.text.contains(function) }) {
      stop.firstHit = (image.loaded, function)
      stop.isEnd = function == image.end
    }
    return stop
  }

  /// Restores all instructions, in a process whose threads are all stopped.
  ///
  /// - Returns: the number that could not be restored.
  func removeBreakpoints() -> Int {
    var left = 0
    for i in images.indices { left += images[i].breakpoints.removeAll(memory) }
    endStart()
    for lasting in lasting { lasting.breakpoint.expose(in: memory) }
    lasting = []
    return left
  }
}

let trapBit: UInt64 = 1 << UInt64(SIGTRAP - 1)
