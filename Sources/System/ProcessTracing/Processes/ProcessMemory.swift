import Addresses
import CPtrace
import LibC

/// The memory of a traced process, through `/proc/PID/mem`: writing ignores protection, and gives the process
/// private copies of pages that it shared with a file. <proc_pid_mem(5)>
///
/// A tracer without privileges can't open `/proc/PID/mem` if the process is not dumpable, for
/// example after `prctl(PR_SET_DUMPABLE, 0)`. Then a stopped thread is made to permit access while
/// the file is opened; the descriptor stays valid afterwards. Root without CAP_SYS_PTRACE, as in
/// containers, also can't open the file if the process has changed its user. Then the memory is
/// read and written by words.
package final class ProcessMemory {
  /// The number of the process.
  let pid: pid_t
  /// A living thread that uses the memory: `/proc/PID` shows nothing if the first thread of the process has ended.
  package var thread: pid_t
  /// The address of an instruction that makes a system call; `nil` if none was found.
  var callInstruction: LoadedAddress?
  /// Whether a thread may be made to permit access.
  var mayPermitAccess = false
  private let files: TracedFiles
  private var reader = MappingReader()

  /// - Parameter pid: the number of the process, and of a living thread.
  package convenience init(of pid: pid_t) { self.init(of: pid, in: TracedFiles()) }

  /// Makes the memory without opening it yet.
  ///
  /// - Parameters:
  ///   - pid: the number of the process, and of a living thread.
  ///   - files: the files that all memories of a tracer share.
  init(of pid: pid_t, in files: TracedFiles) {
    self.pid = pid
    thread = pid
    self.files = files
  }

  deinit { files.descriptors.close(of: self) }

  /// The descriptor of `/proc/PID/mem`; -1 if the file can't be opened.
  private var descriptor: Int32 {
    files.descriptors.descriptor(of: self) {
      let path = "/proc/\(thread)/mem"
      let opened = open(path, O_RDWR | O_CLOEXEC)
      guard opened < 0, errno == EACCES || errno == EPERM else { return opened }
      return permittingAccess { open(path, O_RDWR | O_CLOEXEC) } ?? -1
    }
  }

  /// Whether the memory can be read and written.
  var isAccessible: Bool {
    if descriptor >= 0 { return true }
    guard let place = callInstruction else { return false }
    return !readByWords(1, at: place).isEmpty
  }

  /// Whether the memory has a descriptor: no thread needs to be made to permit access.
  var isOpen: Bool { descriptor >= 0 }

  /// The mappings of files, ascending; `nil` if they can't be read.
  var mappings: [ProcessMapping]? {
    if let mappings = ProcessMapping.files(of: thread, &reader) { return mappings }
    return permittingAccess { ProcessMapping.files(of: thread, &reader) } ?? nil
  }

  /// Makes `thread`, which has stopped, permit access while `body` runs.
  ///
  /// - Returns: `nil` if the thread can't permit access.
  private func permittingAccess<Result>(_ body: () -> Result) -> Result? {
    guard mayPermitAccess, let instruction = callInstruction?.rawValue else { return nil }
    var wasPermitted = false
    guard permitAccess(true, instruction, &wasPermitted) else { return nil }
    let result = body()
    let error = errno
    if !wasPermitted { _ = permitAccess(false, instruction, nil) }
    errno = error
    return result
  }

  private func permitAccess(
    _ isPermitted: Bool, _ instruction: UInt64, _ wasPermitted: UnsafeMutablePointer<Bool>?
  ) -> Bool {
    var error: Int32 = 0
    var status: Int32 = 0
    let failure = ctrace_permit_access(
      thread, instruction, isPermitted, wasPermitted, &error, &status)
    if failure != 0, ThreadStop.isEnd(status) { files.ends.append((thread, status)) }
    return failure == 0 && error == 0
  }

  /// Finds an instruction that makes a system call, in the code of the vDSO.
  func findCallInstruction() {
    callInstruction = AuxiliaryVector(of: thread)?.kernelCode.flatMap(self.findCall)
  }

  private func findCall(in start: LoadedAddress) -> LoadedAddress? {
    let bytes = read(4 * Int(MemoryPage.size), at: start)
    let call = (0..<Int(CTRACE_CALL_SIZE)).map {
      UInt8(truncatingIfNeeded: ctrace_call_instruction >> UInt32(8 * $0))
    }
    #if arch(x86_64)
      let step = 1
    #else
      let step = 4
    #endif
    let places = stride(from: 0, to: max(0, bytes.count - call.count + 1), by: step)
    return places.first { bytes[$0..<$0 + call.count].elementsEqual(call) }
      .map { start + UInt64($0) }
  }

  /// Returns `count` bytes from `address` on, or only the bytes before the first one that can't be read.
  package func read(_ count: Int, at address: LoadedAddress) -> [UInt8] {
    let descriptor = descriptor
    guard descriptor >= 0 else { return readByWords(count, at: address) }
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(bitPattern: address) &+ off_t(done))
      }
      guard count > 0 else { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  /// Reads memory whose file the kernel refuses to open because the process has changed its user.
  /// The kernel refuses access by words only if the process is not dumpable.
  private func readByWords(_ count: Int, at address: LoadedAddress) -> [UInt8] {
    permittingAccess {
      var bytes = [UInt8](repeating: 0, count: count)
      let done = ctrace_read(thread, address.rawValue, &bytes, count)
      return Array(bytes[..<done])
    } ?? []
  }

  private func writeByWords(_ bytes: ArraySlice<UInt8>, at address: LoadedAddress) -> Bool {
    permittingAccess {
      ctrace_write(thread, address.rawValue, Array(bytes), bytes.count) == bytes.count
    } ?? false
  }

  /// Returns the first bytes of the pages in `addresses` that are the process's own copies, and no longer pages of the
  /// file; ascending. <proc_pid_pagemap(5)>
  ///
  /// - Returns: none if the process is gone.
  /// - Complexity: O(*n*) for *n* pages of the range.
  func privatePages(in addresses: Range<LoadedAddress>) -> [LoadedAddress] {
    let pages = Array(MemoryPage.pages(of: addresses))
    let descriptor = open("/proc/\(thread)/pagemap", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    guard let first = pages.first else { return [] }
    var words = [UInt64](repeating: 0, count: pages.count)
    let offset = off_t(clamping: first.rawValue / MemoryPage.size * 8)
    let count = pread(descriptor, &words, words.count * 8, offset)
    let isPresent: UInt64 = 1 << 63
    let isOfFile: UInt64 = 1 << 61
    return zip(pages, words.prefix(max(count, 0) / 8))
      .filter { $1 & (isPresent | isOfFile) == isPresent }.map { $0.0 }
  }

  /// Returns the memory that the kernel is going to use in `call`: 4096 ranges at most, none of them empty. `knowledge`
  /// shows whether the kernel may use other memory.
  package func rangesUsed(
    by call: ctrace_call
  ) -> (ranges: [Range<LoadedAddress>], knowledge: ctrace_knowledge) {
    var call = call
    var ranges = [ctrace_range](repeating: ctrace_range(), count: 4096)
    var knowledge = CTRACE_KNOWN
    let count = Int(
      ctrace_call_memory(descriptor, &call, &ranges, Int32(ranges.count), &knowledge))
    let used = ranges[..<count].compactMap { range -> Range<LoadedAddress>? in
      let start = LoadedAddress(rawValue: range.address)
      guard range.size > 0, let end = start.advanced(by: range.size) else { return nil }
      return start..<end
    }
    return (used, knowledge)
  }

  /// - Returns: whether all of `bytes` could be written.
  @discardableResult
  package func write(_ bytes: ArraySlice<UInt8>, at address: LoadedAddress) -> Bool {
    let descriptor = descriptor
    guard descriptor >= 0 else { return writeByWords(bytes, at: address) }
    var rest = bytes
    while !rest.isEmpty {
      let place = off_t(bitPattern: address) &+ off_t(rest.startIndex - bytes.startIndex)
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension off_t {
  fileprivate init(bitPattern address: LoadedAddress) {
    self = off_t(Int64(bitPattern: address.rawValue))
  }
}

extension ProcessMemory {
  /// The ID of the image whose file begins at `start`; empty if its headers are not there.
  func imageID(at start: LoadedAddress) -> (bytes: [UInt8], isWeak: Bool) {
    var bytes = [UInt8](repeating: 0, count: Int(CTRACE_MOST_ID_BYTES))
    var isWeak = false
    let size = ctrace_image_id(
      start.rawValue,
      { context, address, place, size in
        guard let context else { return false }
        let memory = Unmanaged<ProcessMemory>.fromOpaque(context).takeUnretainedValue()
        let read = memory.read(Int(clamping: size), at: LoadedAddress(rawValue: address))
        guard read.count == Int(clamping: size) else { return false }
        place.copyMemory(from: read, byteCount: read.count)
        return true
      }, Unmanaged.passUnretained(self).toOpaque(), &bytes, &isWeak)
    return (Array(bytes[..<Int(size)]), isWeak)
  }
}
