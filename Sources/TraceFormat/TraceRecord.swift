import Addresses
import ByteReading
import CTraceFormat

/// One event of a launch, at the slot that gives its place in the order.
package struct TraceRecord: Equatable, Sendable {
  /// Number of the slot; the records' order. Of a load: where its image's hits begin, if that is before.
  package var slot: Int
  /// Of the recorded machine's counter.
  package var ticks: UInt64
  /// The kernel's number of the thread; `nil` where the source of an imported trace does not tell.
  package var thread: UInt32?
  package var event: Event

  package enum Event: Equatable, Sendable {
    /// First hit of a function. `entry` is `nil` where the build had no pc-table.
    case function(guard: LoadedAddress, returnAddress: LoadedAddress, entry: LoadedAddress?)
    /// First hit of a basic block of `size` bytes.
    case block(LoadedAddress, size: UInt64)
    /// First touch of a page of data.
    case data(LoadedAddress)
    /// A stage of the launch begins.
    case mark(name: [UInt8])
    case load(image: UInt64, TraceImageRecord)
    case unload(image: UInt64)
    /// What `dladdr` calls the function at an address.
    case name(LoadedAddress, name: [UInt8])
    /// Of a kind that this version doesn't know.
    case other(kind: UInt32)
  }

  /// In bytes, of every record and payload.
  package static let size = MemoryLayout<orderfile_record>.size
}

/// `orderfile_trace_image` with what follows it.
package struct TraceImageRecord: Equatable, Sendable {
  package var slide: Slide
  package var textStart: LoadedAddress
  /// In bytes.
  package var textSize: UInt64
  package var guardStart: LoadedAddress
  /// In bytes, 4 for each guard.
  package var guardSize: UInt64
  package var id: ID?
  package var path: [UInt8]
  /// How many basic blocks had a breakpoint; 0 if only functions had.
  package var blockCount: UInt32 = 0

  package struct ID: Equatable, Sendable {
    /// One of `ORDERFILE_ID_…`.
    package var kind: UInt32
    package var bytes: [UInt8]

    package init(kind: UInt32, bytes: [UInt8]) {
      self.kind = kind
      self.bytes = bytes
    }
  }

  /// An image without guards.
  package init(
    slide: Slide, textStart: LoadedAddress, textSize: UInt64, id: ID?, path: [UInt8]
  ) {
    self.slide = slide
    self.textStart = textStart
    self.textSize = textSize
    guardStart = LoadedAddress(rawValue: 0)
    guardSize = 0
    self.id = id
    self.path = path
  }
}

extension TraceImageRecord {
  /// Reads the payload of a load record.
  init(payload: [UInt8]) throws(ParseError) {
    var input = ByteCursor(FileBytes(payload))
    slide = Slide(rawValue: try input.read(UInt64.self, "slide"))
    textStart = LoadedAddress(rawValue: try input.read(UInt64.self, "text_start"))
    textSize = try input.read(UInt64.self, "text_size")
    guardStart = LoadedAddress(rawValue: try input.read(UInt64.self, "guard_start"))
    guardSize = try input.read(UInt64.self, "guard_size")
    let idKind = try input.read(UInt32.self, "id_kind")
    let idSize = try input.read(UInt32.self, "id_size")
    let pathSize = try input.read(UInt32.self, "path_size")
    blockCount = try input.read(UInt32.self, "block_count")
    let bytes = input.bytes
    let idBytes = bytes.copy(try input.readRange(UInt64(idSize), "id").indices)
    id = idKind == 0 ? nil : ID(kind: idKind, bytes: idBytes)
    path = bytes.copy(try input.readRange(UInt64(pathSize), "path").indices)
  }
}
