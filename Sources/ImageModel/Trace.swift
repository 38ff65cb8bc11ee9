import Addresses

/// One launch of one process, in the image's own addresses: who ran, what was loaded, and what was
/// used first, in order.
package struct Trace: Sendable {
  package var path: String
  /// Path of the executable.
  package var program: String
  /// `nil` where the source of an imported trace does not tell.
  package var processNumber: UInt32?
  /// The process that forked this one; `nil` unless it is a fork's child.
  package var forkedBy: UInt32?
  package var images: [TraceImage]
  /// Ascending by step.
  package var hits: [Hit]
  /// Ascending by step; empty where only functions were recorded.
  package var blockHits: [BlockHit] = []
  package var marks: [Mark]
  /// Hits that found no room.
  package var lostRecords: UInt64
  /// Hits in the middle of which the process ended.
  package var inFlightRecords: Int
  /// Hits of guards that no image in the trace owns.
  package var unattributedHits: Int
  package var end: LaunchEnd
  /// Names of the recorded functions, ascending by image, address and name; empty unless sealed.
  package var names: [RecordedName]
  /// The trace carries the names it needs, so that the recorded image may be gone.
  package var isSealed: Bool
  package var method = Method.instrumentation

  package init(path: String, program: String, processNumber: UInt32?) {
    self.path = path
    self.program = program
    self.processNumber = processNumber
    images = []
    hits = []
    marks = []
    lostRecords = 0
    inFlightRecords = 0
    unattributedHits = 0
    end = .exit
    names = []
    isSealed = false
  }

  /// Nothing was used, or nothing of what was used was seen.
  package var isEmpty: Bool { hits.isEmpty && blockHits.isEmpty }

  /// Of the images that it was recorded in; `nil` if none of their IDs tells.
  package var imageFormat: ImageFormat? { images.lazy.compactMap(\.id?.imageFormat).first }

  /// How first uses were seen.
  package enum Method: String, Sendable {
    /// By calls that the compiler put into the functions.
    case instrumentation
    /// By a breakpoint on each function of an image that was left as it is.
    case breakpoints
    /// Made from what another tool saw, which need not be every function. Times are since that tool began
    /// to record.
    case imported
  }

  /// How the launch ended, as far as the recorder knows.
  package enum LaunchEnd: String, Sendable {
    /// No end was declared: everything until the process was gone.
    case exit
    case stoppedByCall = "stopped by call"
    case stoppedByMark = "stopped by mark"
    case stoppedByTime = "stopped by time"
    case stoppedByFunction = "stopped by function"
  }
}

/// One image of a trace. An image that was unloaded and loaded again stands there twice.
package struct TraceImage: Sendable {
  /// As the trace numbers it.
  package var number: UInt64
  package var path: String
  package var id: ImageID?
  package var slide: Slide
  /// All executable segments, as the image states them.
  package var text: AddressRange
  /// How many functions are instrumented, or had a breakpoint.
  package var guardCount: Int
  /// How many basic blocks had a breakpoint.
  package var blockCount = 0

  package init(
    number: UInt64, path: String, id: ImageID?, slide: Slide, text: AddressRange, guardCount: Int
  ) {
    self.number = number
    self.path = path
    self.id = id
    self.slide = slide
    self.text = text
    self.guardCount = guardCount
  }
}

/// The first use of one function in one launch.
package struct Hit: Sendable {
  /// Position in the trace, from 0; gaps mean nothing.
  package var step: Int
  /// Index into the trace's `images`.
  package var image: Int
  /// Index of the guard among the image's; `nil` for a source without guards.
  package var guardIndex: Int?
  /// The function's first byte; `nil` where the build had no pc-table.
  package var entry: StatedAddress?
  /// Where the callback returned to, if that lies in the same image: inside the body that ran. It is
  /// another body than the entry's where the compiler merged functions, and the caller's where a tail
  /// call replaced the callback's frame.
  package var returnAddress: StatedAddress?
  /// Since the process started; `nil` if the clock could not be calibrated.
  package var nanoseconds: UInt64?
  /// Threads are numbered from 1 in the order of their first hit; `nil` where the source does not tell.
  package var thread: Int?

  package init(
    step: Int, image: Int, guardIndex: Int? = nil, entry: StatedAddress? = nil,
    returnAddress: StatedAddress? = nil, nanoseconds: UInt64? = nil, thread: Int? = 1
  ) {
    self.step = step
    self.image = image
    self.guardIndex = guardIndex
    self.entry = entry
    self.returnAddress = returnAddress
    self.nanoseconds = nanoseconds
    self.thread = thread
  }
}

/// The first use of one basic block in one launch.
package struct BlockHit: Sendable {
  /// Position in the trace, as that of `Hit`.
  package var step: Int
  /// Index into the trace's `images`.
  package var image: Int
  package var block: AddressRange

  package init(step: Int, image: Int, block: AddressRange) {
    self.step = step
    self.image = image
    self.block = block
  }
}

/// The beginning of a stage of the launch.
package struct Mark: Sendable {
  package var name: String
  /// Hits with a smaller step came before.
  package var step: Int
  package var nanoseconds: UInt64?

  package init(name: String, step: Int, nanoseconds: UInt64?) {
    self.name = name
    self.step = step
    self.nanoseconds = nanoseconds
  }
}

/// One name of one recorded function, as the recorded image had it.
package struct RecordedName: Sendable {
  /// Index into the trace's `images`.
  package var image: Int
  package var address: StatedAddress
  /// Of the function, in bytes; `nil` where it is unknown.
  package var size: UInt64?
  package var name: SymbolName

  package init(image: Int, address: StatedAddress, size: UInt64?, name: SymbolName) {
    self.image = image
    self.address = address
    self.size = size
    self.name = name
  }
}
