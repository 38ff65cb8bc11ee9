// The only file under Sources that uses `Unsafe` types, apart from the thin wrappers around C libraries. All
// other code reads through these checked members and through `ByteCursor`.

import Addresses
import LibC

/// A range of bytes in a file, `lowerBound ..< upperBound`, which was checked against the file when it was
/// created.
public typealias ByteRange = Range<FileOffset>

/// The bytes of a file, mapped read-only, or of a buffer.
///
/// A regular file is mapped: its bytes are read only when they are accessed, and its pages are shared with the page
/// cache. A pipe or a terminal is read to its end. If another process truncates a file while it is mapped, accessing it
/// raises SIGBUS, as in every tool that maps its input. Linkers and this tool replace their outputs by renaming, which
/// is safe. A trace that its program may still write grows and is truncated in place, so it is copied.
public final class FileBytes: @unchecked Sendable {  // why: immutable after init
  @usableFromInline let start: UnsafeRawPointer
  /// The size of the file, in bytes.
  public let count: Int
  private let storage: Storage

  /// Whether the bytes are the file's own pages, which change when the file changes.
  public var isMapped: Bool { if case .mapping = storage { true } else { false } }

  /// The ranges that were not read because the file has no blocks for them, ascending. Their bytes are 0.
  private let holes: [Range<Int>]

  private enum Storage {
    case mapping
    /// The bytes are in an anonymous mapping of this size in bytes.
    case memory(Int)
    case allocation(UnsafeMutableRawPointer)
  }

  /// Maps or reads the file at `path`, which the user named.
  ///
  /// - Throws: `SystemError` with the failed call and its `errno`; a folder gives `EISDIR`.
  public convenience init(path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Maps the regular file at `path`, which another file named. It does not wait for the writer of a pipe,
  /// and does not read a device, which may be endless.
  ///
  /// - Throws: as `init(path:)`; `noRegularFile` if it is not a regular file.
  public convenience init(regularFileAt path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try Self.checkRegular(descriptor)
    try self.init(descriptor: descriptor)
  }

  /// Folders are accepted here, because reading a folder fails with an error of its own.
  static func checkRegular(_ descriptor: Int32) throws(SystemError) {
    let kind = try status(descriptor).st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else { throw SystemError.noRegularFile }
  }

  /// Maps or reads the file that `descriptor` refers to. The descriptor stays open and belongs to the caller.
  ///
  /// - Throws: `EFBIG` for a stream of more than `ParsingLimits.stream` bytes.
  public init(descriptor: Int32) throws(SystemError) {
    let status = try Self.status(descriptor)
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw SystemError("read", errno: EISDIR) }
    if kind == S_IFREG, status.st_size > 0 {
      let size = Int(status.st_size)
      guard let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
        mapped != MAP_FAILED
      else { throw SystemError("mmap") }
      start = UnsafeRawPointer(mapped)
      count = size
      storage = .mapping
      holes = []
    } else {
      let bytes = try Self.readToEnd(descriptor, limit: ParsingLimits.stream)
      (start, count, storage) = Self.allocate(copying: bytes)
      holes = []
    }
  }

  /// Copies the contents of a file that is open at its beginning.
  init(copyOf descriptor: Int32, limit: UInt64) throws(SystemError) {
    let status = try Self.status(descriptor)
    guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError("read", errno: EISDIR) }
    guard status.st_size <= limit else { throw SystemError.tooLarge }
    // Most files keep their size: they are read in one piece, without a copy.
    let size = Int(status.st_size)
    if size - Int(status.st_blocks) * 512 >= Self.leastHoles,
      let copy = try Self.copySparse(descriptor, size)
    {
      (start, count, storage, holes) = copy
      return
    }
    holes = []
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: size + 1, alignment: 16)
    var got = 0
    while got <= size {
      let more = read(descriptor, buffer + got, size + 1 - got)
      if more == 0 {
        (start, count, storage) = (UnsafeRawPointer(buffer), got, .allocation(buffer))
        return
      }
      if more > 0 {
        got += more
      } else if errno != EINTR {
        let error = SystemError("read")
        buffer.deallocate()
        throw error
      }
    }
    // The rest is read into a buffer, because the file has grown since its size was asked.
    defer { buffer.deallocate() }
    let beginning = [UInt8](UnsafeRawBufferPointer(start: buffer, count: got))
    let bytes = try Self.readToEnd(descriptor, after: beginning, limit: limit)
    (start, count, storage) = Self.allocate(copying: bytes)
  }

  /// Creates a buffer of `count` bytes, which `fill` fills with data that is not in a file.
  ///
  /// - Returns: `nil` if `fill` reports failure.
  public init?(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Bool) {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
    start = UnsafeRawPointer(buffer)
    self.count = count
    storage = .allocation(buffer)
    holes = []
    guard fill(UnsafeMutableRawBufferPointer(start: buffer, count: count)) else { return nil }
  }

  /// Copies `bytes`, for tests and for a few bytes of a larger file.
  public init(_ bytes: [UInt8]) {
    (start, count, storage) = Self.allocate(copying: bytes)
    holes = []
  }

  deinit {
    switch storage {
    case .mapping: munmap(UnsafeMutableRawPointer(mutating: start), count)
    case .memory(let size): munmap(UnsafeMutableRawPointer(mutating: start), size)
    case .allocation(let buffer): buffer.deallocate()
    }
  }

  private static func allocate(copying bytes: [UInt8]) -> (UnsafeRawPointer, Int, Storage) {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
    UnsafeMutableRawBufferPointer(start: buffer, count: bytes.count).copyBytes(from: bytes)
    return (UnsafeRawPointer(buffer), bytes.count, .allocation(buffer))
  }

  /// The smallest number of bytes in holes for which holes are skipped; files with fewer such bytes are read as a
  /// whole.
  private static let leastHoles = 256 << 10

  /// Copies the blocks of a file.
  ///
  /// - Returns: `nil` if the file system does not report where the blocks are, or if the file has grown meanwhile.
  private static func copySparse(
    _ descriptor: Int32, _ size: Int
  ) throws(SystemError) -> (UnsafeRawPointer, Int, Storage, holes: [Range<Int>])? {
    guard
      let memory = mmap(
        nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | mapsNoFile, -1, 0),
      memory != MAP_FAILED
    else { throw SystemError("mmap") }
    do {
      var holes: [Range<Int>] = []
      guard try readBlocks(descriptor, into: memory, size, &holes) else {
        munmap(memory, size)
        return nil
      }
      let now = Int(try status(descriptor).st_size)
      guard now <= size else {
        munmap(memory, size)
        return nil
      }
      return (UnsafeRawPointer(memory), now, .memory(size), holes)
    } catch {
      munmap(memory, size)
      throw error
    }
  }

  /// - Returns: whether the file system reports where the blocks are.
  private static func readBlocks(
    _ descriptor: Int32, into memory: UnsafeMutableRawPointer, _ size: Int,
    _ holes: inout [Range<Int>]
  ) throws(SystemError) -> Bool {
    var place = 0
    while place < size {
      let next = lseek(descriptor, off_t(place), seekData)
      guard next >= 0 || errno == ENXIO else { return false }
      let data = next < 0 ? size : min(Int(next), size)  // ENXIO: nothing follows
      if data > place { holes.append(place..<data) }
      guard data < size else { return true }
      let hole = lseek(descriptor, off_t(data), seekHole)
      guard hole >= 0 || errno == ENXIO else { return false }
      let end = hole < 0 ? size : min(Int(hole), size)
      place = data
      while place < end {
        let got = pread(descriptor, memory + place, end - place, off_t(place))
        if got == 0 { return true }  // truncated meanwhile
        if got > 0 {
          place += got
        } else if errno != EINTR {
          throw SystemError("read")
        }
      }
    }
    return true
  }

  private static func status(_ descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
    return status
  }

  private static func readToEnd(
    _ descriptor: Int32, after beginning: [UInt8] = [], limit: UInt64
  ) throws(SystemError) -> [UInt8] {
    var bytes = beginning
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = read(descriptor, &chunk, chunk.count)
      if got == 0 { return bytes }
      if got < 0 {
        if errno == EINTR { continue }
        throw SystemError("read")
      }
      guard UInt64(bytes.count + got) <= limit else { throw SystemError.tooLarge }
      bytes += chunk[..<got]
    }
  }
}

// MARK: Reading. Each member checks its range. An index out of bounds is a bug of the caller, who must have compared it
// with `count` or got the range from `range(offset:size:_:)`.

extension FileBytes {
  /// The range of the whole file.
  @inlinable public var all: ByteRange {
    FileOffset(rawValue: 0)..<FileOffset(rawValue: UInt64(count))
  }

  /// The byte of the file at `index`.
  @inlinable public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "the caller compared index with count")
    return start.load(fromByteOffset: index, as: UInt8.self)
  }

  /// Loads a value of a plain type at any alignment, in this machine's byte order.
  @inlinable public func loadUnaligned<T: BitwiseCopyable>(_: T.Type, at index: Int) -> T {
    precondition(
      index >= 0 && index <= count &- MemoryLayout<T>.size, "the caller compared index with count")
    return start.loadUnaligned(fromByteOffset: index, as: T.self)
  }

  /// The index of the first `byte` in `range`, or `nil`. As fast as the C library's `memchr`.
  @inlinable public func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    guard let found = memchr(start + range.lowerBound, Int32(byte), range.count) else { return nil }
    return UnsafeRawPointer(found) - start
  }

  /// Whether `text` is at `index`; `false` if the file ends before.
  @inlinable public func hasPrefix(_ text: StaticString, at index: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard index >= 0, index <= count, count - index >= size else { return false }
    return memcmp(start + index, text.utf8Start, size) == 0
  }

  /// Whether `range` contains exactly `text`.
  @inlinable public func isEqual(_ range: Range<Int>, to text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && hasPrefix(text, at: range.lowerBound)
  }

  /// Returns `range` without the blanks at its end.
  public func trimmingBlanksAtEnd(of range: Range<Int>) -> Range<Int> {
    var end = range.upperBound
    while end > range.lowerBound, self[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return range.lowerBound..<end
  }

  /// The first index from `index` on whose byte may differ from 0: the end of the hole that contains `index`, or
  /// `index` itself if it is not in a hole.
  ///
  /// - Complexity: O(log *n*) for *n* holes.
  public func endOfHole(at index: Int) -> Int {
    let next = holes.partitioningIndex { $0.upperBound > index }
    guard next < holes.count, holes[next].lowerBound <= index else { return index }
    return min(holes[next].upperBound, count)
  }

  /// Returns a copy of the bytes in `range`.
  public func copy(_ range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    return [UInt8](UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
  }

  /// Appends the bytes of `range` to `buffer`.
  @inlinable public func append(_ range: Range<Int>, to buffer: inout [UInt8]) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    buffer.append(
      contentsOf: UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
  }

  /// Whether both ranges contain the same bytes.
  @inlinable public func areEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
    precondition(
      a.lowerBound >= 0 && a.upperBound <= count && b.lowerBound >= 0 && b.upperBound <= count,
      "the caller checked the ranges")
    return a.count == b.count && memcmp(start + a.lowerBound, start + b.lowerBound, a.count) == 0
  }

  /// Whether the bytes in `range` equal the bytes of `others` in the range `part`.
  @inlinable public func isEqual(
    _ range: Range<Int>, to others: [UInt8], in part: Range<Int>
  ) -> Bool {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count && part.lowerBound >= 0
        && part.upperBound <= others.count, "the caller checked the ranges")
    guard range.count == part.count else { return false }
    return others.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return true }
      return memcmp(start + range.lowerBound, base + part.lowerBound, part.count) == 0
    }
  }

  /// The bytes of `range` as text for people; bytes that are not UTF-8 become U+FFFD.
  public func text(_ range: Range<Int>) -> String {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    return String(
      decoding: UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count),
      as: UTF8.self)
  }

  /// Passes the bytes of `range` to `body`, for a C library that needs a pointer. The pointer must not
  /// outlive the call.
  public func withBytes<R>(
    _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    return try body(UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
  }

  /// Passes the bytes of `range` to `body` as a span.
  @inlinable public func withSpan<R>(_ range: Range<Int>, _ body: (RawSpan) -> R) -> R {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    return body(UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count).bytes)
  }

  /// Gives the memory of `range` back to the system, for code that reads a large file once from end to end. The bytes
  /// stay accessible: another access reads them from the page cache again.
  ///
  /// It does nothing for a buffer, and for pages that are only partly in `range`.
  public func release(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the caller checked the range")
    // A number of bytes that is a multiple of every page size.
    let page = 1 << 16
    let first = (range.lowerBound + page - 1) / page * page
    let end = range.upperBound / page * page
    guard case .mapping = storage, first < end else { return }
    madvise(UnsafeMutableRawPointer(mutating: start + first), end - first, MADV_DONTNEED)
  }

  /// Returns the range `offset ..< offset + size`, if it is within the file.
  ///
  /// - Throws: `truncated` with the bytes needed and found.
  public func range(
    offset: FileOffset, size: UInt64, _ field: String
  ) throws(ParseError) -> ByteRange {
    let available = UInt64(count) - min(offset.rawValue, UInt64(count))
    guard offset.rawValue <= UInt64(count), size <= available else {
      throw ParseError(.truncated(needed: size, found: available), field, at: offset)
    }
    return offset..<FileOffset(rawValue: offset.rawValue + size)
  }
}

extension ByteRange {
  /// This range as integer indexes. Ranges are checked against a file when they are created, so the values fit.
  @inlinable public var indices: Range<Int> {
    Int(truncatingIfNeeded: lowerBound.rawValue)..<Int(truncatingIfNeeded: upperBound.rawValue)
  }
  /// The size of the range, in bytes.
  @inlinable public var byteCount: Int { indices.count }
}
