import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension BlockMap {
  /// The blocks of a linked image; `nil` if no code of it was compiled with a map.
  ///
  /// Discarded functions, whose addresses are outside of all code, are left out. So are functions that do not begin at
  /// the start of a function of the image, because their map is from another build.
  ///
  /// - Parameter functions: the first bytes of all functions of the image, ascending.
  /// - Throws: the error in the map.
  /// - Complexity: O(*n* log *n*) for *n* blocks.
  package init?(of bytes: FileBytes, functions: [StatedAddress]) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes) else { return nil }
    try self.init(file, functions: functions)
  }

  /// - Parameter debugFile: contains the map if it was stripped from the image.
  init?(
    _ file: ELFFile, functions: [StatedAddress], debugFile: ELFFile? = nil
  ) throws(ParseError) {
    var found = try file.blockMap()
    if found == nil { found = try debugFile?.blockMap() }
    // BOLT copies the map of its input, although it has moved the code.
    guard let map = found, !file.isMadeByBOLT else { return nil }
    let groups = map.functions().filter {
      functions.containsSorted(map.runs[$0.lowerBound].address)
    }
    var code = CodeRanges(file)
    var sections = [AddressRange?](repeating: nil, count: map.runs.count)
    let runs = groups.flatMap { $0 }.sorted { map.runs[$0].address < map.runs[$1].address }
    for run in runs { sections[run] = code.range(holding: map.runs[run].address) }
    self.init(
      of: groups.map { group in
        BlockMap.Function(
          entry: map.runs[group.lowerBound].address, hash: map.hash(of: group),
          isSplit: group.count > 1)
      }, blockCount: map.blocks.count, statesIDs: map.runs.allSatisfy(\.statesIDs),
      hashes: groups.map(map.blockHashes)
    ) { group, blocks in
      for run in groups[group] {
        if let section = sections[run] { map.append(map.runs[run], in: section, to: &blocks) }
      }
    }
    if ranges.isEmpty { return nil }
  }
}

extension ELFFile {
  /// Whether llvm-bolt has moved the code.
  var isMadeByBOLT: Bool {
    sections.contains { bytes.hasPrefix(".note.bolt_info", at: $0.name.indices.lowerBound) }
  }
}

extension ELFBlockMap {
  /// Returns the runs of each function, as indexes into `runs`.
  fileprivate func functions() -> [Range<Int>] {
    var functions: [Range<Int>] = []
    for (index, run) in runs.enumerated() {
      if run.isFurtherPart, let last = functions.popLast() {
        functions.append(last.lowerBound..<index + 1)
      } else {
        functions.append(index..<index + 1)
      }
    }
    return functions
  }

  /// A hash of the code of a function, made from the hashes of its blocks in ascending order of their IDs; `nil` if a
  /// run has no hashes.
  ///
  /// The compiler's hash of a block consists of 16 bits each for its offset, its opcodes, its instructions and its
  /// neighbors, the lowest first. Offsets change when a function is split, and so do instructions, because a part begins
  /// with a description of its frame (clang 22, x86-64); so these two are left out.
  fileprivate func hash(of function: Range<Int>) -> UInt64? {
    var hashes: [(id: UInt32, hash: UInt64)] = []
    for run in runs[function] {
      guard let first = run.firstHash else { return nil }
      hashes += zip(blocks[run.blocks], self.hashes[first...]).map {
        ($0.id, $1 & 0xffff_0000_ffff_0000)
      }
    }
    var hash = FNV1a()
    for block in hashes.sorted(by: <) {
      hash.add(word: UInt64(block.id))
      hash.add(word: block.hash)
    }
    return hash.value
  }

  /// The compiler's hashes of the blocks of a function; `nil` if a run has no hashes.
  fileprivate func blockHashes(of function: Range<Int>) -> [UInt64]? {
    var found: [UInt64] = []
    for run in runs[function] {
      guard let first = run.firstHash else { return nil }
      found += hashes[first..<first + run.blocks.count]
    }
    return found
  }

  /// Appends the blocks of `run` that are in the `section` where the run begins.
  fileprivate func append(
    _ run: Run, in section: AddressRange, to found: inout [BlockMap.Block]
  ) {
    for (index, block) in zip(run.blocks, blocks[run.blocks]) {
      guard let start = run.address.advanced(by: UInt64(block.offset)) else { break }
      var size = block.size
      // Padding instructions before an aligned block run if control falls through.
      if size > 0, block.flags.contains(.fallsThrough), index + 1 < run.blocks.upperBound {
        size = blocks[index + 1].offset - block.offset
      }
      let block = BlockMap.Block(
        start: start, size: size, id: block.id, isLandingPad: block.flags.contains(.landingPad),
        fallsThrough: block.flags.contains(.fallsThrough))
      if start <= section.end, block.range.end <= section.end { found.append(block) }
    }
  }
}

extension [StatedAddress] {
  /// - Precondition: the addresses ascend.
  /// - Complexity: O(log *n*).
  func containsSorted(_ address: StatedAddress) -> Bool {
    let index = partitioningIndex { $0 >= address }
    return index < count && self[index] == address
  }
}
