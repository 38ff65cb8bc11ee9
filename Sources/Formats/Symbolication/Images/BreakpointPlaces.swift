// The places of breakpoints in an image: the first byte of every function and, if requested, of every basic
// block, and nowhere else.
//
// A breakpoint in a constant would change what the program computes. So a symbol counts only if it has the type of a
// function, or if it has no type and is certainly a function (`UntypedFunctions`). Code that unwind tables cover is
// code in any case: this finds the functions of a stripped file, and assembly with unwind information. The debug file
// of a stripped file is used as well, if it is in the system's debug folders. Blocks count only if their map assigns
// them to one of these functions.
//
// A block that consists of ENDBR64 only shares the breakpoint of the next block: that instruction must stay
// in place, so the breakpoint is after it.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The places for breakpoints in an image, and the facts by which a tracer recognizes the image in memory.
package struct BreakpointPlaces: Sendable {
  package var id: ImageID
  /// The ID of the image in the memory of a process.
  package let idInMemory: ImageID
  /// ELF's `e_machine`.
  package var machine: UInt32
  /// The first bytes of functions, ascending, each once.
  package var functions: [StatedAddress]
  /// The blocks of functions compiled with a map; `nil` if there are none, or if they were not requested.
  package var blocks: BlockMap?
  /// The errors in tables that list functions, if other tables list some.
  package private(set) var problems: [ParseError] = []
  /// The number of symbols without a type that have no breakpoint because they may be data.
  package private(set) var uncertainCount = 0
  /// The names of the first symbols that `uncertainCount` counts.
  package private(set) var uncertain: [SymbolName] = []
  /// The error in the map, if there are no blocks because of it.
  package var blockMapProblem: ParseError?
  /// The addresses of breakpoints, ascending, each once.
  package var places: [StatedAddress]
  /// Blocks that share the breakpoint of the preceding block.
  private var sharing: Set<StatedAddress> = []
  package var executableSegments: [ExecutableSegment]
  /// The functions that were looked for and found.
  package var named: [String: StatedAddress]
  /// The names of the functions in `named` that other images can use.
  package let exported: Set<String>
  /// Parts of the file that are the same in memory and differ between builds, ascending: the ELF
  /// header, the program headers, and the notes with the build ID.
  package let identity: [Piece]

  package struct Piece: Sendable {
    package var address: StatedAddress
    package var bytes: [UInt8]
  }

  /// A part of the file that the loader maps executable.
  package struct ExecutableSegment: Sendable {
    package var fileOffset: FileOffset
    package var range: AddressRange
  }

  /// - Parameters:
  ///   - path: the path that `bytes` were read from.
  ///   - names: symbols of functions to look for.
  /// - Throws: `unsupported` if the file is not a linked 64-bit ELF image; the error in its tables if no function is
  ///   known because of it.
  package init(
    of bytes: FileBytes, at path: String, withBlocks: Bool = false, lookingFor names: [String] = []
  ) throws(ParseError) {
    let file = try Self.file(in: bytes)
    var problems: [ParseError] = []
    var starts: [StatedAddress] = []
    var frames: [AddressRange] = []
    var tables: [ELFSymbolTable] = []
    var debugFile: ELFFile?
    do { frames = try file.frameRanges() } catch { problems.append(error) }
    starts = frames.map(\.start)
    do { tables += [try file.dynamicSymbolTable()].compactMap { $0 } } catch {
      problems.append(error)
    }
    do { tables += [try file.symbolTable()].compactMap { $0 } } catch { problems.append(error) }
    if !tables.contains(where: { $0.type == .symbolTable }) {
      debugFile = Self.debugFile(of: file, at: path)
      tables += [(try? debugFile?.symbolTable()) ?? nil].compactMap { $0 }
    }
    var found: [String: StatedAddress] = [:]
    var exported: Set<String> = []
    for table in tables {
      Self.forEachFunction(in: table, names) { start, name in
        starts.append(start)
        guard let name else { return }
        found[name] = start
        if table.type == .dynamicSymbolTable { exported.insert(name) }
      }
    }
    let untyped = UntypedFunctions(file, tables, frames: frames)
    starts += untyped.functions
    starts.sort()
    var code = CodeRanges(file)
    var functions: [StatedAddress] = []
    for start in starts where functions.last != start && code.range(holding: start) != nil {
      functions.append(start)
    }
    if functions.isEmpty, let problem = problems.first { throw problem }
    self.init(file, functions: functions, named: found, exported: exported)
    self.problems = problems
    (uncertainCount, uncertain) = (untyped.uncertainCount, untyped.uncertain)
    guard withBlocks else { return }
    do {
      blocks = try BlockMap(file, functions: functions, debugFile: debugFile)
    } catch { blockMapProblem = error }
    guard let blocks else { return }
    sharing = Self.sharing(blocks, file)
    places = Self.merged(functions, blocks.ranges.map(\.start).filter { !sharing.contains($0) })
  }

  /// Makes a value for which only the functions with `names` are looked up, among the functions that other images can
  /// use.
  ///
  /// - Throws: as the initializer that looks up all functions.
  package init(of bytes: FileBytes, onlyNamed names: [String]) throws(ParseError) {
    let file = try Self.file(in: bytes)
    var found: [String: StatedAddress] = [:]
    if let table = try file.dynamicSymbolTable() {
      Self.forEachFunction(in: table, names) { start, name in
        if let name { found[name] = start }
      }
    }
    self.init(file, functions: [], named: found, exported: Set(found.keys))
  }

  private init(
    _ file: ELFFile, functions: [StatedAddress], named: [String: StatedAddress],
    exported: Set<String>
  ) {
    id = ImageID(file)
    idInMemory = ImageID(inMemory: file)
    machine = UInt32(file.header.machine.rawValue)
    executableSegments = file.executableSegments
    identity = file.identity
    self.functions = functions
    places = functions
    self.named = named
    self.exported = exported
  }

  private static func file(in bytes: FileBytes) throws(ParseError) -> ELFFile {
    guard case .elf(let file) = try ObjectFile(parsing: bytes), file.header.is64Bit else {
      throw ParseError(
        .unsupported(found: "32 bits or another format; breakpoints need 64-bit ELF"),
        "e_ident", at: FileOffset(rawValue: 4))
    }
    return file
  }

  /// - Parameter body: called with the address of each function, and with its name if `names`
  ///   contains it.
  private static func forEachFunction(
    in table: ELFSymbolTable, _ names: [String], _ body: (StatedAddress, String?) -> Void
  ) {
    table.forEachSymbol { symbol in
      let isFunction = symbol.type == .function || symbol.type == .indirectFunction
      guard isFunction, symbol.sectionIndex.isInSection else { return }
      var found: String?
      if !names.isEmpty, let name = table.names.name(at: symbol.nameOffset) {
        found = names.first {
          $0.utf8.count == name.indices.count && table.names.bytes.text(name.indices) == $0
        }
      }
      body(symbol.value, found)
    }
  }

  /// What runs when a thread reaches the breakpoint at `place`: a function, blocks, or both.
  ///
  /// - Complexity: O(log *n*) for *n* places.
  package func uses(at place: StatedAddress) -> (isFunction: Bool, blocks: [AddressRange]) {
    var found: [AddressRange] = []
    if let blocks, let block = blocks.block(at: place)?.range {
      found.append(block)
      if sharing.contains(block.end) {
        found += [blocks.block(at: block.end)?.range].compactMap { $0 }
      }
    }
    return (found.isEmpty || functions.containsSorted(place), found)
  }

  /// The debug file in the usual places; `nil` if there is none with symbols.
  private static func debugFile(of file: ELFFile, at path: String) -> ELFFile? {
    let candidates = file.debugFileCandidates(
      at: path, named: nil, roots: DebugFileRequest.systemRoots
    ).candidates
    for candidate in candidates {
      if let bytes = try? FileBytes(regularFileAt: candidate.path),
        let found = try? file.debugFile(in: bytes, candidate),
        (try? found.symbolTable()) ?? nil != nil
      {
        return found
      }
    }
    return nil
  }

  /// The machine that this tool was built for.
  package static var ownMachine: UInt32 {
    #if arch(x86_64)
      UInt32(ELFMachine.x8664.rawValue)
    #else
      UInt32(ELFMachine.aarch64.rawValue)
    #endif
  }

  /// The starts of blocks that follow a block that consists of ENDBR64 only.
  private static func sharing(_ map: BlockMap, _ file: ELFFile) -> Set<StatedAddress> {
    guard file.header.machine == .x8664 else { return [] }
    let code = file.segments.filter { $0.type == .load && $0.isExecutable }
    func isLandingPad(_ block: AddressRange) -> Bool {
      guard let segment = code.first(where: { $0.range.contains(block.start) }) else {
        return false
      }
      guard let offset = segment.offset.advanced(by: block.start - segment.range.start),
        let bytes = try? file.bytes.range(offset: offset, size: block.size, "block")
      else { return false }
      return file.bytes.copy(bytes.indices) == [0xf3, 0x0f, 0x1e, 0xfa]
    }
    var sharing: Set<StatedAddress> = []
    let ranges = map.ranges
    for (block, next) in zip(ranges, ranges.dropFirst())
    where block.size == 4 && block.end == next.start && isLandingPad(block) {
      sharing.insert(next.start)
    }
    return sharing
  }

  /// The union of two ascending lists, without duplicates.
  private static func merged(_ a: [StatedAddress], _ b: [StatedAddress]) -> [StatedAddress] {
    var merged: [StatedAddress] = []
    merged.reserveCapacity(a.count + b.count)
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      let isFirst = j == b.count || i < a.count && a[i] <= b[j]
      let next = isFirst ? a[i] : b[j]
      if isFirst { i += 1 } else { j += 1 }
      if merged.last != next { merged.append(next) }
    }
    return merged
  }
}

extension ELFFile {
  fileprivate var executableSegments: [BreakpointPlaces.ExecutableSegment] {
    segments.filter { $0.type == .load && $0.isExecutable }.map {
      BreakpointPlaces.ExecutableSegment(fileOffset: $0.offset, range: $0.range)
    }
  }

  /// The parts that identify the image in memory. Parts that no segment maps are left out.
  fileprivate var identity: [BreakpointPlaces.Piece] {
    // The build ID is among the first notes of a segment.
    let most: UInt64 = 4096
    var ranges: [Range<FileOffset>] = [segmentTable]
    if let header = try? bytes.range(offset: FileOffset(rawValue: 0), size: 64, "e_ident") {
      ranges.insert(header, at: 0)
    }
    for segment in segments where segment.type == .note {
      let size = min(segment.fileSize, most)
      if let notes = try? bytes.range(offset: segment.offset, size: size, "p_offset") {
        ranges.append(notes)
      }
    }
    return ranges.compactMap { range in
      let size = range.upperBound - range.lowerBound
      let holder = segments.first {
        $0.type == .load && $0.offset <= range.lowerBound
          && range.lowerBound - $0.offset + size <= $0.fileSize
      }
      guard size > 0, let holder else { return nil }
      return BreakpointPlaces.Piece(
        address: StatedAddress(
          rawValue: holder.range.start.rawValue &+ (range.lowerBound - holder.offset)),
        bytes: bytes.copy(range.indices))
    }
  }
}
