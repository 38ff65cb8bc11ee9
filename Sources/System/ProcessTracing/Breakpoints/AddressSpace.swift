import Addresses
import CPtrace
import LibC
import ProcessLaunch

/// The memory of a traced process, which all its threads share: the loaded images and the planted
/// breakpoints.
final class AddressSpace {
  let memory: ProcessMemory
  private let files: TracedFiles
  var images: [Image] = []
  /// The breakpoint at the program's entry point; `nil` once a thread has come there. Until then, the loader maps the
  /// libraries.
  private(set) var entry: PlantedBreakpoint?
  /// The code of the loader that was started as the program (`ld.so ./app`), until other code runs.
  private var loader: [Range<LoadedAddress>] = []
  var lasting: [LastingBreakpoint] = []
  /// Mappings that get no breakpoints. A mapping that is gone is removed.
  private var leftAlone: Set<Place> = []
  /// Whether SIGTRAP was blocked when the program began.
  let blocksTrap: Bool
  /// Whether the program is valgrind, which translates the code of another program, and of a part of itself, and runs
  /// the translation. The process gets no breakpoints.
  let isOfTranslator: Bool
  /// Whether all instructions are restored, because an untraced process uses the memory.
  var isLent = false

  struct Image {
    var loaded: LoadedImage
    /// The function at whose first use the launch is over.
    var end: LoadedAddress?
    var breakpoints: BreakpointSet
    var identity: [BreakpointImage.Piece]
    /// Whether first uses of functions are reported.
    var isRecorded: Bool
  }

  /// A breakpoint that stays.
  struct LastingBreakpoint {
    var purpose: Stop.Purpose
    var breakpoint: PlantedBreakpoint
    var wasReached = false
  }

  /// A place in memory where a part of a file is mapped.
  private struct Place: Hashable {
    var file: String
    var start: LoadedAddress
    var fileOffset: FileOffset

    init(_ mapping: ProcessMapping) {
      (file, start, fileOffset) = (mapping.file, mapping.addresses.lowerBound, mapping.fileOffset)
    }
  }

  /// - Parameters:
  ///   - pid: a process that begins a program, or to which the tracer attaches.
  ///   - files: the files that all processes of a tracer share.
  init(of pid: pid_t, in files: TracedFiles) {
    memory = ProcessMemory(of: pid, in: files)
    self.files = files
    var mask: UInt64 = 0
    blocksTrap = ctrace_blocked_signals(pid, &mask) == 0 && mask & trapBit != 0
    isOfTranslator = Self.isTranslator(pid)
  }

  /// valgrind names its launcher in the environment of its tools, and removes the variable for the program that it
  /// runs.
  private static func isTranslator(_ pid: pid_t) -> Bool {
    SystemFile.text(of: "/proc/\(pid)/environ").split(separator: 0)
      .contains { $0.starts(with: "VALGRIND_LAUNCHER=".utf8) }
  }

  /// Copies the state of `other` for a process forked from it. Does not access the memory of the
  /// new process.
  init(of pid: pid_t, forkedFrom other: AddressSpace, in files: TracedFiles) {
    memory = ProcessMemory(of: pid, in: files)
    self.files = files
    memory.callInstruction = other.memory.callInstruction
    images = other.images
    entry = other.entry
    loader = other.loader
    lasting = other.lasting
    leftAlone = other.leftAlone
    blocksTrap = other.blocksTrap
    isOfTranslator = other.isOfTranslator
    isLent = other.isLent
    memory.mayPermitAccess = other.memory.mayPermitAccess
  }

  /// The process for which this value was made.
  var pid: pid_t { memory.pid }

  /// Whether the loader still maps the libraries that the program begins with.
  var isStarting: Bool { entry != nil || !loader.isEmpty }

  /// Plants the breakpoints that show when libraries are mapped: one at the program's entry point, and one in its
  /// loader. A program without a loader needs neither of them. A running program needs only the breakpoint in its
  /// loader.
  ///
  /// - Returns: the path of the loader if another file is at this path now. Then the tracer does
  ///   not see when libraries are mapped.
  func watchLoader(isRunning: Bool, _ ask: (_ path: String) -> BreakpointImage?) -> String? {
    memory.findCallInstruction()
    guard let program = AuxiliaryVector(of: memory.thread), let mappings = memory.mappings
    else { return nil }
    // A program without a loader may itself be a loader, so its own entry point is used.
    let base = program.loaderBase ?? program.entry
    guard let loader = mappings.first(where: { $0.addresses.contains(base) }) else { return nil }
    if program.loaderBase != nil, !isRunning { entry = plant(program.entry) }
    let (path, isThere) = files.place(of: loader)
    guard isThere else { return program.loaderBase == nil ? nil : path }
    guard let image = ask(path), let address = image.loaderNotice,
      program.loaderBase != nil || image.isLoader
    else { return nil }
    for mapping in mappings where mapping.file == loader.file && mapping.isExecutable {
      guard let slide = image.slide(of: mapping), image.isInMemory(memory, slide) else { continue }
      plantLasting(.loaderNotice, address.loaded(slide: slide))
      if program.loaderBase == nil, !isRunning { self.loader.append(mapping.addresses) }
    }
    return nil
  }

  /// Notes a system call at `place`. A call outside of the loader's code shows that the loader has
  /// mapped the libraries that the program begins with.
  func isAt(_ place: LoadedAddress) {
    if !loader.contains(where: { $0.contains(place) }) { loader = [] }
  }

  /// The images that `refresh` found, and the images that are gone.
  struct Changes {
    var loaded: [LoadedImage] = []
    var unloaded: [LoadedImage] = []
    /// The paths of images in memory that are not the file at their path.
    var others: [String] = []
    /// Whether the memory of an image can't be read.
    var isInaccessible = false
  }

  /// Reads the mappings, plants breakpoints in new images, and forgets those that are gone.
  ///
  /// - Parameter ask: returns the information about the image at a path; `nil` if the image is left
  ///   alone.
  /// - Returns: `nil` if the mappings or the memory can't be read. Then nothing is changed.
  func refresh(_ ask: (_ path: String) -> BreakpointImage?) -> Changes? {
    if isOfTranslator || isLent { return Changes() }
    guard let all = memory.mappings, images.isEmpty || memory.isAccessible else { return nil }
    let mappings = all.filter { $0.isExecutable }
    var changes = Changes()
    keepImages(all, mappings, &changes)
    leftAlone.formIntersection(Set(mappings.map(Place.init)))
    for mapping in mappings
    where !leftAlone.contains(Place(mapping)) && !images.contains(where: { $0.holds(mapping) }) {
      leftAlone.insert(Place(mapping))
      let (path, isThere) = files.place(of: mapping)
      guard let image = ask(path), !isThere || image.slide(of: mapping) != nil else { continue }
      guard memory.isAccessible else {
        changes.isInaccessible = true
        continue
      }
      guard isThere, let slide = image.slide(of: mapping), image.isInMemory(memory, slide) else {
        if image.isRecorded { changes.others.append(path) }
        continue
      }
      leftAlone.remove(Place(mapping))
      let new = LoadedImage(path: path, build: image.build, slide: slide, text: mapping.addresses)
      add(image, new, mapping)
      if image.isRecorded { changes.loaded.append(new) }
    }
    return changes
  }

  /// Decides which images stay. Plants the breakpoints again in images whose code was mapped again.
  private func keepImages(
    _ all: [ProcessMapping], _ mappings: [ProcessMapping], _ changes: inout Changes
  ) {
    var kept: [Image] = []
    for var image in images {
      let own = mappings.filter { image.holds($0) }
      var stays = false
      if !own.isEmpty, image.isInMemory(memory) {
        stays = true
        if !image.breakpoints.isInPlace(memory) {
          image.breakpoints.plantAgain(memory, in: own.map { $0.addresses })
          plantLastingAgain(in: image.loaded.text)
        }
      } else {
        // A page with breakpoints is a private copy of the process, even if the process has moved
        // its code. A page that is still the file's has no breakpoints.
        let others = all.map { $0.addresses }
        let copies = own.isEmpty ? [] : Set(memory.privatePages(in: image.loaded.text))
        stays = image.breakpoints.keepStanding(memory) { page in
          !copies.contains(page.lowerBound) && others.contains { $0.overlaps(page) }
        }
      }
      if stays {
        kept.append(image)
      } else {
        lasting.removeAll { image.loaded.text.contains($0.breakpoint.address) }
        if image.isRecorded { changes.unloaded.append(image.loaded) }
      }
    }
    images = kept
  }

  private func add(_ image: BreakpointImage, _ loaded: LoadedImage, _ mapping: ProcessMapping) {
    for place in image.lasting {
      plantLasting(place.purpose, place.address.loaded(slide: loaded.slide))
    }
    let single = [entry?.address] + lasting.map { $0.breakpoint.address }
    let functions = image.functions.lazy.map { $0.loaded(slide: loaded.slide) }
      .filter { !single.contains($0) }
    images.append(
      Image(
        loaded: loaded, end: image.end.map { $0.loaded(slide: loaded.slide) },
        breakpoints: BreakpointSet(functions, in: mapping, memory), identity: image.identity,
        isRecorded: image.isRecorded))
    memory.mayPermitAccess = true
  }

  private func plant(_ address: LoadedAddress) -> PlantedBreakpoint? {
    guard let breakpoint = PlantedBreakpoint(at: address, in: memory) else { return nil }
    memory.mayPermitAccess = true
    return breakpoint
  }

  private func plantLasting(_ purpose: Stop.Purpose, _ address: LoadedAddress) {
    guard !lasting.contains(where: { $0.breakpoint.address == address }),
      let breakpoint = plant(address)
    else { return }
    lasting.append(LastingBreakpoint(purpose: purpose, breakpoint: breakpoint))
  }

  private func plantLastingAgain(in text: Range<LoadedAddress>) {
    for index in lasting.indices where text.contains(lasting[index].breakpoint.address) {
      let address = lasting[index].breakpoint.address
      if let again = plant(address), !again.isSecond { lasting[index].breakpoint = again }
    }
  }

  /// Restores the instruction at the program's entry point.
  func endStart() {
    entry?.expose(in: memory)
    entry = nil
  }

  /// Restores the instruction at the lasting breakpoint `address` if `isExposed`, for one step; else plants the
  /// breakpoint again.
  func expose(_ isExposed: Bool, _ address: LoadedAddress) {
    let breakpoint = lasting.first { $0.breakpoint.address == address }?.breakpoint
    if isExposed {
      breakpoint?.expose(in: memory)
    } else if !isLent {
      breakpoint?.plantAgain(in: memory)
    }
  }

  /// Restores all instructions, in a process whose threads are all stopped.
  ///
  /// - Returns: the number of instructions that could not be restored.
  func removeBreakpoints() -> Int {
    let hasBreakpoints = !images.isEmpty || !lasting.isEmpty || entry != nil
    guard hasBreakpoints else { return 0 }
    defer { (images, lasting, entry) = ([], [], nil) }
    guard memory.isAccessible else { return images.reduce(0) { $0 + $1.breakpoints.plantedCount } }
    removeCopies()
    var left = 0
    for i in images.indices { left += images[i].breakpoints.removeAll(memory) }
    endStart()
    for lasting in lasting { lasting.breakpoint.expose(in: memory) }
    return left
  }
}

extension AddressSpace.Image {
  /// Whether `mapping` is a part of this image. A program may have split a mapping by changing the
  /// protection of a part.
  fileprivate func holds(_ mapping: ProcessMapping) -> Bool {
    let known = breakpoints.mapping
    return known.file == mapping.file && known.addresses.overlaps(mapping.addresses)
  }

  /// Returns whether this image is still in memory.
  fileprivate func isInMemory(_ memory: ProcessMemory) -> Bool {
    identity.allSatisfy { $0.isInMemory(memory, loaded.slide) }
  }
}

extension BreakpointImage {
  /// Whether the image in memory at `slide` is this image.
  fileprivate func isInMemory(_ memory: ProcessMemory, _ slide: Slide) -> Bool {
    identity.allSatisfy { $0.isInMemory(memory, slide) }
  }
}

extension BreakpointImage.Piece {
  fileprivate func isInMemory(_ memory: ProcessMemory, _ slide: Slide) -> Bool {
    memory.read(bytes.count, at: address.loaded(slide: slide)) == bytes
  }
}

let trapBit: UInt64 = 1 << UInt64(SIGTRAP - 1)
