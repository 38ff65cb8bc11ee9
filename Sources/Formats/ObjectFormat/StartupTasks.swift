// Start-up tasks, as ORDERFILE_TASK of Runtime/Tasks/include/orderfile_tasks.h puts them into a section of their own:
// `orderfile_tasks` in ELF, `__DATA,__of_tasks` in Mach-O. A descriptor is
//
//   uint16   version    1; a later version may have more members, at the end
//   uint16   size       of the descriptor in bytes, a multiple of 8; 0 where there is padding of 8 bytes
//   int32    priority
//   pointer  function   8 bytes
//   uint32   flags
//   char     stage[28]
//   char     name[48]
//
// Linkers may write several sections of this name, if object files give the section different flags. In an image without
// section headers, the note that the runtime reads has the bounds of one section.

import Addresses
import ByteReading

/// A task that runs once at launch, as its registration describes it.
package struct StartupTask: Hashable, Sendable {
  /// The address of its descriptor.
  package var address: StatedAddress
  package var version: UInt16
  /// Tasks of a stage run by ascending priority.
  package var priority: Int32
  /// The address of its function; `nil` in an object file, and if the file does not state the address.
  package var function: StatedAddress?
  package var flags: UInt32
  /// The name of the stage, up to the first zero byte.
  package var stage: [UInt8]
  /// The name of the task, up to the first zero byte.
  package var name: [UInt8]
  /// Whether a zero byte ends the name.
  package var hasEnd: Bool

  /// Whether the runtime of this version runs the task.
  package var isKnown: Bool { version == 1 && flags == 0 && hasEnd }

  static let sizeBytes = 96
  /// The distance of the pointer from the start of the descriptor.
  static let functionOffset = 8
  private static let stageSize: UInt64 = 28
  private static let nameSize: UInt64 = 48

  /// Parses the descriptors in `range` of a file, which is at `start` in memory. Their functions stay `nil`.
  ///
  /// - Throws: `invalid` for a size that no descriptor has; `truncated` for a descriptor that is cut off.
  static func parse(
    _ bytes: FileBytes, in range: ByteRange, at start: StatedAddress, endianness: Endianness
  ) throws(ParseError) -> [StartupTask] {
    var tasks: [StartupTask] = []
    var input = ByteCursor(bytes, in: range, endianness: endianness)
    while !input.isAtEnd {
      let place = input.position
      let version = try input.read(UInt16.self, "version")
      let size = try input.read(UInt16.self, "size")
      guard size != 0 else {
        try input.skip(4, "padding")
        continue
      }
      guard size >= sizeBytes, size % 8 == 0 else {
        throw ParseError(
          .invalid(expected: "a multiple of 8 from \(sizeBytes)", found: "\(size)"),
          "size of a start-up task", at: place)
      }
      let priority = try input.read(Int32.self, "priority")
      try input.skip(8, "function")
      let flags = try input.read(UInt32.self, "flags")
      let stage = try input.readRange(stageSize, "stage")
      let name = try input.readRange(nameSize, "name")
      try input.skip(UInt64(size) - UInt64(sizeBytes), "size of a start-up task")
      let distance = place.rawValue - range.lowerBound.rawValue
      tasks.append(
        StartupTask(
          address: StatedAddress(rawValue: start.rawValue &+ distance), version: version,
          priority: priority, flags: flags, stage: bytes.text(upToZeroIn: stage),
          name: bytes.text(upToZeroIn: name),
          hasEnd: bytes.firstIndex(of: 0, in: name.indices) != nil))
    }
    return tasks
  }
}

extension FileBytes {
  fileprivate func text(upToZeroIn range: ByteRange) -> [UInt8] {
    let end = firstIndex(of: 0, in: range.indices) ?? range.indices.upperBound
    return copy(range.indices.lowerBound..<end)
  }
}

extension ELFFile {
  private static let noteType = ELFNoteType(rawValue: 1)

  /// The start-up tasks of an image or object file, in the order of the file.
  ///
  /// - Throws: the error in a descriptor or in a relocation table.
  /// - Complexity: O(*n* + *r*) for *n* bytes of descriptors and *r* dynamic relocations, for each section.
  package func startupTasks() throws(ParseError) -> [StartupTask] {
    guard header.is64Bit else { return [] }
    guard !sections.isEmpty else {
      guard let addresses = startupTaskNote() else { return [] }
      return try startupTasks(at: addresses, in: try range(of: addresses, "orderfile_tasks"))
    }
    var tasks: [StartupTask] = []
    // An object file may have many sections of one name. Linkers create few in an image.
    var sectionsLeft = segments.isEmpty ? sections.count : 8
    var budget = ByteBudget(limit: UInt64(bytes.count))
    for section in sections
    where bytes.isEqual(section.name.indices, to: "orderfile_tasks") {
      guard sectionsLeft > 0 else { break }
      sectionsLeft -= 1
      let contents = try contents(of: section)
      try budget.take(contents.byteCount, "sections that share bytes", at: contents.lowerBound)
      tasks += try startupTasks(at: section.range, in: contents)
    }
    return tasks
  }

  private func startupTasks(
    at addresses: AddressRange, in contents: ByteRange
  ) throws(ParseError) -> [StartupTask] {
    var tasks = try StartupTask.parse(
      bytes, in: contents, at: addresses.start, endianness: header.endianness)
    guard !tasks.isEmpty, !segments.isEmpty else { return tasks }
    let words = try words(at: addresses, in: contents)
    for place in tasks.indices {
      let distance = tasks[place].address.rawValue &- addresses.start.rawValue
      let index = (Int(distance) + StartupTask.functionOffset) / 8
      guard index < words.count, let word = words[index], word != 0 else { continue }
      tasks[place].function = StatedAddress(rawValue: word)
    }
    return tasks
  }

  /// Returns the bounds of the section, as the note of an image states them; `nil` without such a note. The note has two
  /// numbers: each is the distance from itself to a bound.
  private func startupTaskNote() -> AddressRange? {
    let note = notes().notes.first { note in
      note.type == Self.noteType && note.descriptor.byteCount >= 8
        && bytes.isEqual(note.owner.indices, to: "orderfile")
    }
    guard let note else { return nil }
    let place = note.descriptor.lowerBound.rawValue
    let segment = segments.first {
      $0.type == .load && $0.offset.rawValue <= place
        && place - $0.offset.rawValue < $0.fileSize
    }
    guard let segment else { return nil }
    let address = segment.range.start.rawValue &+ (place - segment.offset.rawValue)
    func target(_ distance: UInt64) -> UInt64 {
      let stored = bytes.loadUnaligned(Int32.self, at: Int(place + distance))
      let offset = header.endianness == .little ? stored.littleEndian : stored.bigEndian
      return address &+ distance &+ UInt64(bitPattern: Int64(offset))
    }
    let (start, end) = (target(0), target(4))
    guard start < end else { return nil }
    return AddressRange(start: StatedAddress(rawValue: start), size: end - start)
  }
}

extension MachOFile {
  /// The start-up tasks of an image or object file, in the order of the file.
  ///
  /// - Throws: the error in a descriptor, or in the data that gives the encoding of pointers.
  /// - Complexity: O(*n* log *s*) for *n* bytes of descriptors and *s* segments.
  package func startupTasks() throws(ParseError) -> [StartupTask] {
    var tasks: [StartupTask] = []
    var budget = ByteBudget(limit: UInt64(range.byteCount))
    for section in sections where section.name == Array("__DATA,__of_tasks".utf8) {
      let contents = try range(
        offset: section.offset.rawValue, size: section.range.size, "section_64.size")
      try budget.take(contents.byteCount, "sections that share bytes", at: contents.lowerBound)
      tasks += try StartupTask.parse(
        bytes, in: contents, at: section.range.start, endianness: .little)
    }
    guard !tasks.isEmpty, baseAddress != nil else { return tasks }
    let memory = try MachOMemory(self)
    for place in tasks.indices {
      let pointer = memory.pointer(at: tasks[place].address, UInt64(StartupTask.functionOffset))
      if case .address(let function)? = pointer { tasks[place].function = function }
    }
    return tasks
  }
}
