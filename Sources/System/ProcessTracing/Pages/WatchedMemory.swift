import Addresses
import CPtrace
import LibC

/// The memory of a traced process, which all its threads share: its images, and which of their pages have
/// been touched.
final class WatchedMemory {
  let memory: ProcessMemory
  private(set) var images: [WatchedImage] = []
  private var breakpoints: [LoadedAddress: PlantedBreakpoint] = [:]
  /// Whether all access has been restored, permanently.
  private(set) var isReleased = false
  /// Whether reading and writing is no longer withheld, also in images that are loaded later.
  private var isDataReleased = false

  /// Why access to the pages of this process can't be withheld; `nil` if it can.
  var restriction: PageProblem?

  /// - Parameter files: the files that all processes of a tracer share.
  init(of pid: pid_t, in files: TracedFiles) {
    memory = ProcessMemory(of: pid, in: files)
    memory.mayPermitAccess = true
    memory.findCallInstruction()
  }

  /// Copies the state of `other` for a process forked from it. Does not access the memory of the
  /// new process.
  init(of pid: pid_t, forkedFrom other: WatchedMemory, in files: TracedFiles) {
    memory = ProcessMemory(of: pid, in: files)
    memory.mayPermitAccess = true
    memory.callInstruction = other.callInstruction
    images = other.images
    breakpoints = other.breakpoints
    isReleased = other.isReleased
    isDataReleased = other.isDataReleased
    restriction = other.restriction
  }

  /// The process whose memory is watched.
  var pid: pid_t { memory.pid }

  var hasWatchedImages: Bool { images.contains { $0.isWatched } }

  /// The address of an instruction that makes a system call; `nil` if none was found.
  var callInstruction: LoadedAddress? { memory.callInstruction }

  /// Reads the mappings, and withholds execution of new images.
  ///
  /// - Parameters:
  ///   - watchesLoading: whether to withhold all access to new images.
  ///   - look: returns, for a mapping of an image, whether the image is to be watched, and whether
  ///     the image is the file at its path.
  /// - Returns: the new images, and the changes of protection to make.
  func refresh(
    watchesLoading: Bool, _ look: (ProcessMapping) -> (isWanted: Bool, isAtItsPath: Bool)
  ) -> (new: [WatchedImage], changes: [WatchedImage.Change]) {
    let watchesLoading = watchesLoading && !isDataReleased
    var new: [WatchedImage] = []
    var changes: [WatchedImage.Change] = []
    for mappings in Self.imageMappings(memory.mappings ?? []) {
      guard let first = mappings.first, let last = mappings.last,
        mappings.contains(where: { $0.isExecutable })
      else { continue }
      let known = images.firstIndex { $0.addresses.lowerBound == first.addresses.lowerBound }
      if let known {
        // glibc maps code again if its pages must be guarded (`_dl_bti_protect`).
        let isLoading = images[known].isLoading
        for mapping in mappings where (isLoading || mapping.isExecutable) && !isReleased {
          guard images[known].watch(mapping) else { continue }
          changes += images[known].changes(in: mapping.addresses)
        }
        continue
      }
      let (isWanted, isAtItsPath) = look(first)
      var image = WatchedImage(
        path: first.path, addresses: first.addresses.lowerBound..<last.addresses.upperBound,
        isWatched: !isReleased && isWanted, isWatchedLoading: watchesLoading,
        isAtItsPath: isAtItsPath, file: first.file)
      for mapping in mappings where watchesLoading || mapping.isExecutable { image.watch(mapping) }
      changes += image.changes(in: image.addresses)
      images.append(image)
      new.append(image)
    }
    return (new, changes)
  }

  /// Returns the runs of consecutive mappings of one file. Memory without a file between them belongs to the
  /// image too: uninitialized variables, and gaps.
  private static func imageMappings(_ mappings: [ProcessMapping]) -> [[ProcessMapping]] {
    var runs: [[ProcessMapping]] = []
    for mapping in mappings {
      if let last = runs.last?.last, last.file == mapping.file, last.path == mapping.path,
        mapping.fileOffset >= last.fileOffset,
        mapping.fileOffset.rawValue > 0 || last.fileOffset.rawValue == 0
      {
        runs[runs.count - 1].append(mapping)
      } else {
        runs.append([mapping])
      }
    }
    return runs
  }

  /// Notes that the first instruction of the image at `index` runs. From now on all access to the image is withheld.
  func begin(_ index: Int) -> [WatchedImage.Change] {
    let addresses = images[index].addresses
    for mapping in memory.mappings ?? []
    where mapping.formerPath == images[index].path && mapping.addresses.overlaps(addresses) {
      images[index].watch(mapping)
    }
    images[index].begin()
    if isDataReleased { images[index].releaseData() }
    return images[index].changes(in: addresses)
  }

  /// The index of the watched image whose watched page holds `address`.
  func image(holding address: LoadedAddress) -> Int? {
    images.lastIndex { $0.state(of: address) != nil }
  }

  func saw(_ access: WatchedImage.Protection, at address: LoadedAddress, image index: Int) {
    images[index].saw(access, at: address)
  }

  /// Returns the watched pages among `ranges` that the kernel can't use as they are. Each comes with the first address
  /// on it that is in a range.
  func withheldPages(
    in ranges: [Range<LoadedAddress>]
  ) -> [(image: Int, address: LoadedAddress)] {
    var pages: [(image: Int, address: LoadedAddress)] = []
    for index in images.indices where images[index].isWatched && images[index].withholdsData {
      for range in ranges {
        for page in MemoryPage.pages(of: range.clamped(to: images[index].addresses)) {
          guard let state = images[index].state(of: page),
            state.seen.isEmpty
              || (state.byRight.contains(.write) && !state.seen.contains(.write))
          else { continue }
          pages.append((index, max(page, range.lowerBound)))
        }
      }
    }
    return pages
  }

  func protected(_ range: Range<LoadedAddress>, _ protection: WatchedImage.Protection)
    -> [WatchedImage.Change]
  {
    images.indices.flatMap { index in
      images[index].protected(range, protection)
      return images[index].changes(in: range)
    }
  }

  func unmapped(_ range: Range<LoadedAddress>) {
    images.removeAll { range.contains($0.addresses.lowerBound) }
    for index in images.indices { images[index].unmapped(range) }
  }

  /// Returns the changes that restore all access to `range`. Later touches of the range do not count. Pages are not
  /// watched after the program has moved them.
  func release(_ range: Range<LoadedAddress>) -> [WatchedImage.Change] {
    images.indices.flatMap { index in
      images[index].release(range) ? images[index].changes(in: range) : []
    }
  }

  /// The program has moved the mapping `old` to `new`, or changed its size.
  ///
  /// - Parameter flags: the flags of mremap(2).
  func moved(_ old: Range<LoadedAddress>, to new: Range<LoadedAddress>, flags: UInt64) {
    if flags & UInt64(CTRACE_MOVE_FIXED) != 0 { unmapped(new) }
    if new.lowerBound != old.lowerBound {
      if flags & UInt64(CTRACE_MOVE_KEEPS_OLD) == 0 { unmapped(old) }
    } else if new.upperBound < old.upperBound {
      unmapped(new.upperBound..<old.upperBound)
    }
  }

  /// Returns the changes that restore reading and writing. From now on, only execution is withheld.
  func releaseData() -> [WatchedImage.Change] {
    guard !isReleased, !isDataReleased else { return [] }
    isDataReleased = true
    return images.indices.flatMap { index in
      images[index].releaseData()
      return images[index].changes(in: images[index].addresses)
    }
  }

  /// Returns the changes that restore all access. From now on nothing is withheld.
  func release() -> [WatchedImage.Change] {
    guard !isReleased else { return [] }
    isReleased = true
    for address in breakpoints.keys.sorted() { expose(address) }
    breakpoints = [:]
    return images.indices.flatMap { index in
      images[index].release()
      return images[index].changes(in: images[index].addresses)
    }
  }
}

// MARK: Breakpoints

extension WatchedMemory {
  /// Plants a breakpoint at `address`.
  func plant(_ address: LoadedAddress) {
    guard breakpoints[address] == nil else { return }
    breakpoints[address] = PlantedBreakpoint(at: address, in: memory)
  }

  func hasBreakpoint(at address: LoadedAddress) -> Bool { breakpoints[address] != nil }

  /// Restores the instruction at the breakpoint `address`; `plantAgain` undoes it.
  func expose(_ address: LoadedAddress) {
    breakpoints[address]?.expose(in: memory)
  }

  func plantAgain(_ address: LoadedAddress) {
    breakpoints[address]?.plantAgain(in: memory)
  }
}
