import Addresses
import CLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The memory of one traced process, which all its threads share: what is loaded there, and which
/// breakpoints are planted.
final class AddressSpace {
  /// Of the process that it was made for.
  let pid: pid_t
  let memory: ProcessMemory
  private(set) var images: [Image] = []
  /// Where the program begins, until a thread has come there: before, the loader maps the libraries.
  private(set) var entry: SingleBreakpoint?
  /// What the loader calls when it has mapped or unmapped a library.
  private(set) var loaderNotice: SingleBreakpoint?
  /// Whether SIGTRAP was blocked when the program began.
  let blocksTrap: Bool

  struct Image {
    var loaded: LoadedImage
    var breakpoints: BreakpointSet
  }

  struct SingleBreakpoint {
    var address: UInt64
    var saved: [UInt8]
  }

  /// - Returns: `nil` if the process is gone.
  init?(of pid: pid_t, forkedFrom other: AddressSpace? = nil) {
    guard let memory = ProcessMemory(of: pid) else { return nil }
    self.pid = pid
    self.memory = memory
    if let other {
      images = other.images
      entry = other.entry
      loaderNotice = other.loaderNotice
      blocksTrap = other.blocksTrap
    } else {
      var mask: UInt64 = 0
      blocksTrap = ctrace_blocked_signals(pid, &mask) == 0 && mask & trapBit != 0
    }
  }

  /// Whether the loader still maps the libraries that the program begins with.
  var isStarting: Bool { entry != nil }

  /// Plants what tells that libraries are mapped: a breakpoint where the program begins, and one in its
  /// loader. A program without a loader needs neither, one that is running only the second.
  func watchLoader(isRunning: Bool, _ notice: (_ path: String) -> BreakpointImage?) {
    guard let program = AuxiliaryVector(of: pid), let base = program.loaderBase else { return }
    if !isRunning { entry = plant(program.entry) }
    let mappings = ProcessMapping.files(of: pid)
    guard let loader = mappings.first(where: { $0.addresses.contains(base) }),
      let image = notice(loader.path), let address = image.loaderNotice
    else { return }
    for mapping in mappings where mapping.file == loader.file && mapping.isExecutable {
      guard let slide = image.slide(of: mapping) else { continue }
      loaderNotice = plant(address.rawValue &+ slide)
    }
  }

  /// Looks at what is mapped, plants breakpoints in what is new, and forgets what is gone.
  ///
  /// - Parameter wanted: what is to know of the image at a path; `nil` if it is left alone.
  /// - Returns: the images that are new, and those that are gone.
  func refresh(
    _ wanted: (_ path: String) -> BreakpointImage?
  ) -> (loaded: [LoadedImage], unloaded: [LoadedImage]) {
    let mappings = ProcessMapping.files(of: pid).filter(\.isExecutable)
    // A program may have split a mapping by changing the protection of a part.
    func holds(_ mapping: ProcessMapping, _ image: Image) -> Bool {
      let known = image.breakpoints.mapping
      return known.file == mapping.file && known.addresses.overlaps(mapping.addresses)
    }
    let gone = images.filter { image in !mappings.contains { holds($0, image) } }
    images.removeAll { image in !mappings.contains { holds($0, image) } }
    var loaded: [LoadedImage] = []
    for mapping in mappings where !images.contains(where: { holds(mapping, $0) }) {
      guard let image = wanted(mapping.path), let slide = image.slide(of: mapping) else { continue }
      let new = LoadedImage(path: mapping.path, slide: slide, text: mapping.addresses)
      let single = [entry?.address, loaderNotice?.address]
      let functions = image.functions.lazy.map { $0.rawValue &+ slide }
        .filter { !single.contains($0) }
      images.append(
        Image(loaded: new, breakpoints: BreakpointSet(functions, in: mapping, memory)))
      loaded.append(new)
    }
    return (loaded, gone.map(\.loaded))
  }

  private func plant(_ address: UInt64) -> SingleBreakpoint? {
    let trap = BreakpointSet.bytes(of: ctrace_breakpoint)
    let saved = memory.read(address..<address &+ UInt64(trap.count))
    guard saved.count == trap.count, memory.write(trap[...], at: address) else { return nil }
    return SingleBreakpoint(address: address, saved: saved)
  }

  /// Puts back the instruction where the program begins.
  func endStart() {
    if let entry { memory.write(entry.saved[...], at: entry.address) }
    entry = nil
  }

  /// Puts the instruction of the loader's notice back for one step, or the breakpoint after it.
  func exposeLoaderNotice(_ isExposed: Bool) {
    guard let notice = loaderNotice else { return }
    let trap = BreakpointSet.bytes(of: ctrace_breakpoint)
    memory.write((isExposed ? notice.saved : trap)[...], at: notice.address)
  }

  /// What a thread that stopped at the breakpoint `address` has come to.
  enum Stop {
    /// The first byte of a function of an image, loaded, that nobody had entered before.
    case firstHit(LoadedImage, function: UInt64)
    /// A breakpoint that was removed while another thread was at it, or that a fork copied.
    case removed
    case entry
    case loaderNotice
  }

  /// Removes the breakpoint at `address`; those of the loader stay.
  ///
  /// - Returns: `nil` if none of ours was ever there.
  func takeBreakpoint(at address: UInt64) -> Stop? {
    if address == entry?.address { return .entry }
    if address == loaderNotice?.address { return .loaderNotice }
    for i in images.indices {
      guard let index = images[i].breakpoints.index(of: address) else { continue }
      let breakpoint = images[i].breakpoints.breakpoints[index]
      images[i].breakpoints.remove(index, memory)
      guard breakpoint.isPlanted else { return .removed }
      return .firstHit(
        images[i].loaded, function: breakpoint.address - UInt64(breakpoint.distance))
    }
    return nil
  }

  /// Puts back every instruction.
  func removeBreakpoints() {
    for i in images.indices { images[i].breakpoints.removeAll(memory) }
    endStart()
    exposeLoaderNotice(true)
    loaderNotice = nil
  }
}

let trapBit: UInt64 = 1 << UInt64(SIGTRAP - 1)
