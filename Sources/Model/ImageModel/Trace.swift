import Addresses

/// A launch of a process: the program, the images that were loaded, and the first uses, in order.
/// Addresses are stated addresses.
package struct Trace: Sendable {
  package var path: String
  /// The path of the executable.
  package var program: String
  /// The number of the process; `nil` if the source of an imported trace does not state it.
  package var processNumber: UInt32?
  /// The start of the process, from which times count; `nil` if the trace does not state it, or states no session.
  package var start: ProcessStart?
  /// The number of the process that forked this process; `nil` unless this is a forked child.
  package var forkedBy: UInt32?
  package var images: [TraceImage]
  /// The hits, ascending by step.
  package var hits: [Hit]
  /// The first uses of basic blocks, ascending by step; empty if only functions were recorded.
  package var blockHits: [BlockHit] = []
  /// The first touches of data, ascending by step; empty unless the build has callbacks before loads and stores.
  package var dataHits: [DataHit] = []
  package var marks: [Mark]
  /// The number of hits for which there was no free slot.
  package var lostRecords: UInt64
  /// The number of marks for which there was no free slot.
  package var lostMarks: UInt64 = 0
  /// The number of functions that ran before their image registered, if their touches of data can't be recorded.
  package var earlyFunctions: UInt64 = 0
  /// The number of hits that were being written when the process ended.
  package var inFlightRecords: Int
  /// The number of hits whose guards belong to no image in the trace.
  package var unattributedHits: Int
  package var end: LaunchEnd
  /// The names of the recorded functions, ascending by image, address and name; empty unless sealed.
  package var names: [RecordedName]
  /// Whether the trace contains the names that it needs, so that the recorded image is not needed.
  package var isSealed: Bool
  package var method = RecordingMethod.instrumentation
  /// ELF's `e_machine`, also for Mach-O; 0 if the source does not state it.
  package var machine: UInt32 = 0
  /// The command line and inputs of the launch; `nil` if the trace does not state them.
  package var workload: Workload?

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

  /// Whether no use of a function or block was recorded.
  package var isEmpty: Bool { hits.isEmpty && blockHits.isEmpty }

  /// The images with hits or first touches of data, as indexes into `images`.
  ///
  /// - Complexity: O(*n*) for *n* hits and first touches of data, on average.
  package var usedImages: Set<Int> {
    Set(hits.lazy.map(\.image)).union(blockHits.lazy.map(\.image))
      .union(dataHits.lazy.map(\.image))
  }

  /// The format of the recorded images; `nil` if none of their IDs shows it.
  package var imageFormat: ImageFormat? { images.lazy.compactMap(\.id?.imageFormat).first }

  /// The start of a process.
  package struct ProcessStart: Hashable, Sendable {
    /// A number that all processes of one launch share.
    package var session: UInt64
    /// The start of the process in nanoseconds since boot.
    package var nanoseconds: UInt64

    package init(session: UInt64, nanoseconds: UInt64) {
      self.session = session
      self.nanoseconds = nanoseconds
    }
  }

  /// How first uses were recorded.
  package enum RecordingMethod: String, Sendable {
    /// First uses were recorded by callbacks that the compiler added to the functions.
    case instrumentation
    /// First uses were recorded by a breakpoint on each function of an unmodified image.
    case breakpoints
    /// First uses were recorded by an emulator that ran an unmodified image and saw all code that ran.
    case emulation
    /// The trace was made from another tool's recording, which need not contain every function. Times count from the
    /// start of that recording.
    case imported

    /// Whether the recorded images are unmodified, and all their functions that ran were recorded.
    package var recordsEveryFunction: Bool { self == .breakpoints || self == .emulation }
  }

  /// How the launch ended, according to the recorder.
  package enum LaunchEnd: String, Sendable {
    /// The recording had no explicit end: it lasted until the process was gone.
    case exit
    case stoppedByCall = "stopped by call"
    case stoppedByMark = "stopped by mark"
    case stoppedByTime = "stopped by time"
    case stoppedByFunction = "stopped by function"
    /// A port or a line of output showed that the program was ready.
    case stoppedWhenReady = "stopped when ready"
  }
}

/// An image of a trace. An image that was unloaded and loaded again occurs twice.
package struct TraceImage: Sendable {
  /// The image's number in the trace.
  package var number: UInt64
  package var path: String
  package var id: ImageID?
  package var slide: Slide
  /// The range of all executable segments, in stated addresses.
  package var text: AddressRange
  /// The number of guards, or of functions that had a breakpoint. An instrumented function has one guard, or one for each of
  /// its basic blocks.
  package var guardCount: Int
  /// The number of basic blocks that could be recorded; 0 if only functions could be recorded, or if there is no map of
  /// the blocks.
  package var blockCount = 0
  /// Whether it has no map of its basic blocks, and the blocks are runs of executed instructions.
  package var hasExecutedRuns = false

  /// Whether blocks of the image were recorded.
  package var hasBlocks: Bool { blockCount > 0 || hasExecutedRuns }
  /// How much of the image's code could be recorded; `nil` if the trace does not state it.
  package var recordable: RecordableCode?

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

/// The first use of a function in a launch.
package struct Hit: Sendable {
  /// The position of the hit in the trace, from 0; gaps have no meaning.
  package var step: Int
  /// Index into the trace's `images`.
  package var image: Int
  /// The index of the guard among the guards of the image; `nil` for a source without guards.
  package var guardIndex: Int?
  /// The address of the function's first byte; `nil` if the build had no pc-table.
  package var entry: StatedAddress?
  /// The return address of the callback, if it is in the same image: inside the body that ran. It is not the body at
  /// `entry` if the compiler merged functions. It is the caller's body if a tail call replaced the callback's frame.
  package var returnAddress: StatedAddress?
  /// The time since the process started, or since the recording began if that was later; `nil` if the clock
  /// could not be calibrated.
  package var nanoseconds: UInt64?
  /// Threads are numbered from 1 in the order of their first hits or marks; `nil` if the source does not state threads.
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

/// The first use of a basic block in a launch.
package struct BlockHit: Sendable {
  /// The position in the trace, like `Hit.step`.
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

/// A named point in the launch.
package struct Mark: Sendable {
  package var name: String
  /// The position of the mark: hits with a smaller step came before the mark.
  package var step: Int
  package var nanoseconds: UInt64?
  /// The number of the thread, like `Hit.thread`.
  package var thread: Int?

  package init(name: String, step: Int, nanoseconds: UInt64?, thread: Int? = nil) {
    self.thread = thread
    self.name = name
    self.step = step
    self.nanoseconds = nanoseconds
  }
}

/// A name of a recorded function, as in the recorded image.
package struct RecordedName: Sendable {
  /// Index into the trace's `images`.
  package var image: Int
  package var address: StatedAddress
  /// The size of the function in bytes; `nil` if unknown.
  package var size: UInt64?
  package var name: SymbolName

  package init(image: Int, address: StatedAddress, size: UInt64?, name: SymbolName) {
    self.image = image
    self.address = address
    self.size = size
    self.name = name
  }
}
