import Addresses
import ByteReading
import CTraceFormat

/// An event of a launch, with the slot that gives its position.
package struct TraceRecord: Equatable, Sendable {
  /// The slot number, which orders the records. For a load: the slot where the hits of its image begin, if
  /// that is earlier.
  package var slot: Int
  /// The value of the recorded machine's counter.
  package var ticks: UInt64
  /// The kernel's number of the thread; `nil` if the source of an imported trace does not state it.
  package var thread: UInt32?
  package var event: Event

  package enum Event: Equatable, Sendable {
    /// The first hit of a function. `entry` is `nil` if the build had no pc-table.
    case function(guard: LoadedAddress, returnAddress: LoadedAddress, entry: LoadedAddress?)
    /// The first hit of a basic block of `size` bytes.
    case block(LoadedAddress, size: UInt64)
    /// The first touch of a granule of data, of `size` bytes; `image` is `nil` if the image had not registered when the
    /// process ended.
    case data(LoadedAddress, size: UInt64, image: UInt64?)
    case mark(name: [UInt8])
    case load(image: UInt64, TraceImageRecord)
    case unload(image: UInt64)
    /// The name of the function at an address, from `dladdr`.
    case name(LoadedAddress, name: [UInt8])
    /// The process executes the program at `path`, outside of the recording emulator; `path` is empty if the execution
    /// failed.
    case exec(path: [UInt8])
    /// A record of a kind that this version does not know.
    case other(kind: UInt32)
  }

  /// The size of every slot in bytes.
  package static let size = MemoryLayout<orderfile_record>.size
}

/// `orderfile_trace_image` and the data that follows it.
package struct TraceImageRecord: Equatable, Sendable {
  package var slide: Slide
  package var textStart: LoadedAddress
  /// The size of the code, in bytes.
  package var textSize: UInt64
  package var guardStart: LoadedAddress
  /// The size of all guards in bytes: 4 for each guard.
  package var guardSize: UInt64
  package var id: ID?
  package var path: [UInt8]
  package var blocks = Blocks.listed(0)

  /// The basic blocks that could be recorded.
  package enum Blocks: Equatable, Sendable {
    /// The number of blocks in a map of blocks; 0 if only functions could be recorded.
    case listed(UInt32)
    /// The image has no map of its blocks, so runs of executed instructions could be recorded.
    case executed

    fileprivate init(_ count: UInt32) {
      self = count == ORDERFILE_EXECUTED_RUNS ? .executed : .listed(count)
    }

    /// The number of blocks, as the trace states it.
    var count: UInt32 {
      switch self {
      case .listed(let count): min(count, ORDERFILE_EXECUTED_RUNS - 1)
      case .executed: ORDERFILE_EXECUTED_RUNS
      }
    }
  }

  package struct ID: Equatable, Sendable {
    /// The kind of the ID: one of `ORDERFILE_ID_…`.
    package var kind: UInt32
    package var bytes: [UInt8]

    package init(kind: UInt32, bytes: [UInt8]) {
      self.kind = kind
      self.bytes = bytes
    }
  }

  /// Makes the record of an image without guards.
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
  /// Reads the content of a load record.
  init(content: [UInt8]) throws(ParseError) {
    var input = ByteCursor(FileBytes(content))
    slide = Slide(rawValue: try input.read(UInt64.self, "slide"))
    textStart = LoadedAddress(rawValue: try input.read(UInt64.self, "text_start"))
    textSize = try input.read(UInt64.self, "text_size")
    guardStart = LoadedAddress(rawValue: try input.read(UInt64.self, "guard_start"))
    guardSize = try input.read(UInt64.self, "guard_size")
    let idKind = try input.read(UInt32.self, "id_kind")
    let idSize = try input.read(UInt32.self, "id_size")
    let pathSize = try input.read(UInt32.self, "path_size")
    blocks = Blocks(try input.read(UInt32.self, "block_count"))
    let bytes = input.bytes
    let idBytes = bytes.copy(try input.readRange(UInt64(idSize), "id").indices)
    id = idKind == 0 ? nil : ID(kind: idKind, bytes: idBytes)
    path = bytes.copy(try input.readRange(UInt64(pathSize), "path").indices)
  }
}
