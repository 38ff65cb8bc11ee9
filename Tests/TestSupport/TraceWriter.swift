/// Assembles a trace record by record, in the layout of `orderfile_trace_format.h`.
package struct TraceWriter {
  /// One image as its load record states it. It is loaded `slide` above the address at which it was linked.
  package struct Image: Sendable {
    package var number: UInt64
    package var path: String
    package var slide: UInt64
    /// The stated addresses of its code.
    package var text: Range<UInt64>
    /// The loaded addresses of the guards, 4 bytes each.
    package var guards: Range<UInt64>
    package var idKind: UInt32
    package var id: [UInt8]

    package init(
      number: UInt64 = 1, path: String = "/bin/app", slide: UInt64 = 0x10_0000,
      text: Range<UInt64> = 0x1000..<0x9000, guards: Range<UInt64> = 0x20_0000..<0x20_0100,
      idKind: UInt32 = 1, id: [UInt8] = [0x9f, 0x3a]
    ) {
      self.number = number
      self.path = path
      self.slide = slide
      self.text = text
      self.guards = guards
      self.idKind = idKind
      self.id = id
    }
  }

  package struct Name: Sendable {
    package var image: UInt32
    package var address: UInt64
    package var size: UInt64
    package var name: [UInt8]

    package init(image: UInt32 = 1, address: UInt64, size: UInt64, name: String) {
      self.image = image
      self.address = address
      self.size = size
      self.name = Array(name.utf8)
    }
  }

  package var version: UInt32 = 1
  package var recordSize: UInt32 = 40
  package var machine: UInt32 = 62
  package var flags: UInt32 = 0
  package var state: UInt32 = 0
  package var processNumber: UInt32 = 100
  package var parent: UInt32 = 0
  package var ticksPerSecond: UInt64 = 0
  /// The ticks, and the nanoseconds since boot.
  package var firstPair: (UInt64, UInt64) = (0, 0)
  package var lastPair: (UInt64, UInt64) = (0, 0)
  package var processStart: UInt64 = 0
  package var session: UInt64 = 0
  package var lostRecords: UInt64 = 0
  package var program: String = "/bin/app"
  /// The capacity in the header; `nil` for the true capacity.
  package var statedCapacity: UInt64?
  /// A table of names, which makes the trace a sealed trace.
  package var names: [Name]?
  private var records = ByteWriter()

  package init() {}

  /// The number of slots so far.
  package var slotCount: Int { records.count / 40 }

  /// Adds one slot: the fields of `orderfile_record` in their order.
  package mutating func addRecord(
    kind: UInt32, subject: UInt64 = 0, second: UInt64 = 0, entry: UInt64 = 0, ticks: UInt64 = 0,
    thread: UInt32 = 1
  ) {
    records.write(subject)
    records.write(second)
    records.write(entry)
    records.write(ticks)
    records.write(thread)
    records.write(kind)
  }

  /// Adds a record and its content, which is in the slots after it.
  package mutating func addRecord(
    kind: UInt32, subject: UInt64 = 0, entry: UInt64 = 0, ticks: UInt64 = 0, content: [UInt8]
  ) {
    addRecord(
      kind: kind, subject: subject, second: UInt64(content.count), entry: entry, ticks: ticks)
    for start in stride(from: 0, to: content.count, by: 36) {
      let part = content[start..<min(start + 36, content.count)]
      records.write(part + [UInt8](repeating: 0, count: 36 - part.count))
      records.write(UInt32(8))
    }
  }

  /// Adds a first hit of the guard with the number `index` in `image`. Addresses are stated addresses.
  package mutating func addHit(
    _ image: Image, guard index: UInt64, entry: UInt64? = nil, calledFrom: UInt64? = nil,
    ticks: UInt64 = 0, thread: UInt32 = 1
  ) {
    addRecord(
      kind: 1, subject: image.guards.lowerBound + 4 * index,
      second: calledFrom.map { $0 &+ image.slide } ?? 0,
      entry: entry.map { $0 &+ image.slide } ?? 0,
      ticks: ticks, thread: thread)
  }

  /// - Parameter firstHit: the slot of the image's first hit plus one, if that hit precedes the record; else 0.
  package mutating func addLoad(_ image: Image, firstHit: UInt64 = 0) {
    var content = ByteWriter()
    content.write(image.slide)
    content.write(image.text.lowerBound &+ image.slide)
    content.write(UInt64(image.text.count))
    content.write(image.guards.lowerBound)
    content.write(UInt64(image.guards.count))
    content.write(image.idKind)
    content.write(UInt32(image.id.count))
    content.write(UInt32(image.path.utf8.count))
    content.write(UInt32(0))
    content.write(image.id)
    content.write(Array(image.path.utf8))
    addRecord(kind: 5, subject: image.number, entry: firstHit, content: content.bytes)
  }

  package mutating func addUnload(_ image: Image) { addRecord(kind: 6, subject: image.number) }

  package mutating func addMark(_ name: String, ticks: UInt64 = 0) {
    addRecord(kind: 4, ticks: ticks, content: Array(name.utf8))
  }

  /// Adds the name that `dladdr` returns for a loaded address.
  package mutating func addLoaderName(_ name: String, at address: UInt64) {
    addRecord(kind: 7, subject: address, content: Array(name.utf8))
  }

  package func bytes() -> [UInt8] {
    var file = ByteWriter()
    file.write([0x89] + Array("OFTRACE".utf8))
    file.write(version)
    file.write(UInt32(4096))
    file.write(recordSize)
    file.write(machine)
    file.write(names == nil ? flags : flags | 2)
    file.write(state)
    file.write(processNumber)
    file.write(parent)
    file.write(UInt64(7))  // start_time
    file.write([UInt8](repeating: 0xaa, count: 16))  // exec_id
    file.write(session)
    for number in [
      ticksPerSecond, firstPair.0, firstPair.1, lastPair.0, lastPair.1, processStart, 1, 0,
    ] { file.write(number) }
    let slots = UInt64(slotCount)
    let tableStart = 4096 + slots * 40
    let table = nameTable
    for number in [
      slots, statedCapacity ?? slots, slots, lostRecords, 2, names == nil ? 0 : tableStart,
      UInt64(names?.count ?? 0), UInt64(table.count),
    ] { file.write(number) }
    file.write(Array(program.utf8))
    file.align(to: 4096)
    file.write(records.bytes)
    file.write(table)
    return file.bytes
  }

  private var nameTable: [UInt8] {
    var table = ByteWriter()
    var offset = UInt64((names ?? []).count * 32)
    for name in names ?? [] {
      table.write(name.image)
      table.write(UInt32(name.name.count))
      table.write(name.address)
      table.write(name.size)
      table.write(offset)
      offset += UInt64(name.name.count)
    }
    for name in names ?? [] { table.write(name.name) }
    return table.bytes
  }
}
