// Launches of a program, folded together
//
// A profile of many launches grows with the program, not with the number of launches. It keeps for each function of
// each build how many launches used it, how early, and which of its basic blocks ran; and the same for data, if they
// were recorded. Some orders need whole launches. So it also keeps the launches with the smallest hashes of their
// contents, at most `keptLaunches`: a sample that does not depend on the order of folding.
//
//     launch 1   main parse log            main   2 of 2   positions 0 0
//     launch 2   main open parse           parse  2 of 2   positions 1 2
//                                          log    1 of 2   position 2
//                                          open   1 of 2   position 1
//
// Everything is a sum, a minimum, a maximum, a union or a smallest-of, so that launches may be folded in any order and
// any grouping: the same launches give the same bytes. A launch is a recording, not its content: two recordings of the
// same functions count twice, and so does a trace that is merged twice.
//
// A function is an address in a build. Names are properties of it: namesakes of one build stay apart, and functions of
// several builds are brought together by their names where a profile is used, in `UsedFunctions`.
//
// Data are counted like functions. The first touch of any of its bytes is the first touch of a variable: so a large
// table is one datum, whatever part of it a launch touches. Of bytes without a name, each granule of a trace is one
// datum.

import Addresses
import ImageModel

/// The functions and data that launches of a program used, folded together.
package struct Profile: Hashable, Sendable {
  /// The largest number of launches that are kept whole.
  package static let keptLaunches = 100
  /// The largest number of workloads that are kept.
  package static let keptWorkloads = 100
  /// The largest number of launches, weights included: no sum of counts exceeds 64 bits.
  package static let maximumLaunches: UInt64 = 1 << 48

  package var counts = Counts()
  /// The images, ascending by `Image.Key`.
  package var images: [Image] = []
  /// The functions that launches used, ascending by image and address.
  package var functions: [Function] = []
  /// The variables and constants that launches touched, and touched bytes without a name, ascending by image and
  /// address. They have no object files and no blocks; a position is the number of data of the image that the launch
  /// touched before.
  package var data: [Function] = []
  /// The launches that are kept whole, ascending by hash, then by content.
  package var launches: [Launch] = []
  /// The workloads that traces state, each once and ascending; at most the first `keptWorkloads`.
  package var workloads: [WorkloadSummary] = []

  /// Whether `launches` are all launches that used anything.
  package var keepsAllLaunches: Bool {
    launches.reduce(0) { $0 + $1.weight } == counts.launches - counts.emptyLaunches
  }

  package init() {}

  /// Returns this profile without the blocks that fewer than `least` launches ran, and without whole launches.
  package func withBlocks(ofAtLeast least: UInt64) -> Profile {
    var profile = self
    profile.launches = []
    guard least > 1 else { return profile }
    for index in functions.indices {
      profile.functions[index].blocks.removeAll { $0.support < least }
    }
    return profile
  }
}

extension Profile {
  /// Sums over all launches. Each launch counts as many times as its weight.
  package struct Counts: Hashable, Sendable {
    package var launches: UInt64 = 0
    /// The number of launches in which no function and no datum was recorded.
    package var emptyLaunches: UInt64 = 0
    /// The number of launches that lack hits, because the trace had no room.
    package var launchesWithLostRecords: UInt64 = 0
    package var lostRecords: UInt64 = 0
    /// The number of launches that ended while a hit was being written.
    package var launchesEndedInHit: UInt64 = 0
    package var inFlightRecords: UInt64 = 0
    /// Hits of guards that belong to no image.
    package var unattributedHits: UInt64 = 0
    /// How the recordings ended, in the order of `ends`.
    package var ended = [UInt64](repeating: 0, count: Counts.ends.count)
    /// The numbers of functions that launches used, in all images together.
    package var functions = PositionHistogram()

    /// The ways in which a recording can end, in the order in which the file counts them.
    package static let ends: [Trace.LaunchEnd] = [
      .exit, .stoppedByCall, .stoppedByMark, .stoppedByTime, .stoppedByFunction, .stoppedWhenReady,
    ]

    /// The number of launches that used fewer than half as many functions as the median launch. They probably ended
    /// early.
    package var shortLaunches: UInt64 { functions.count(below: (functions.median ?? 0) / 2) }
  }

  /// An image, once for each build.
  package struct Image: Hashable, Sendable {
    /// The path as a trace states it; of several paths the shortest, and of equally short paths the first bytewise.
    package var path: String
    package var id: ImageID?
    /// ELF's `e_machine`, as in all traces.
    package var machine: UInt32 = 0
    /// The number of launches that used its code, and the number of launches that executed it as their program.
    package var launches: UInt64 = 0
    package var programLaunches: UInt64 = 0
    /// The number of launches that touched its data, if touches of data were recorded.
    package var dataLaunches: UInt64 = 0
    package var recordingMethods: Set<Trace.RecordingMethod> = []
    /// The range of the image's code, as in `TraceImage`.
    package var text = AddressRange(start: StatedAddress(rawValue: 0), size: 0)
    package var guardCount = 0
    package var blockCount = 0
    package var hasExecutedRuns = false
    /// The number of hits without a known function: only an address inside the function is known, or no address.
    package var unnamedHits: UInt64 = 0

    package init(path: String, id: ImageID?) {
      self.path = path
      self.id = id
    }

    package var hasBlocks: Bool { blockCount > 0 || hasExecutedRuns }

    /// The identity of a build: its ID or, if the ID is missing or weak, the ID and the path.
    package struct Key: Hashable, Sendable, Comparable {
      /// The kind of the ID, its size, its bytes, and the path if it counts.
      package let bytes: [UInt8]

      package static func < (a: Self, b: Self) -> Bool {
        a.bytes.lexicographicallyPrecedes(b.bytes)
      }
    }

    package var key: Key {
      let bytes = id?.bytes ?? []
      let isEnough = id != nil && id?.kind != .weak
      return Key(
        bytes: [id?.kind.rawValue ?? 0, UInt8(clamping: bytes.count)] + bytes
          + (isEnough ? [] : Array(path.utf8)))
    }
  }

  /// A function of one build that at least one launch used.
  package struct Function: Hashable, Sendable {
    /// The image that contains the function, as an index into `images`.
    package var image: Int
    package var address: StatedAddress
    /// The size of the function in bytes; `nil` if unknown.
    package var size: UInt64?
    /// The names of the function, ascending bytewise; empty for code without a name.
    package var names: [SymbolName] = []
    /// The object file of the function, as in `RecordedFunctions.Use`.
    package var objectFile: SymbolName?
    /// The number of launches that used the function.
    package var support: UInt64 = 0
    /// The time of the function's earliest first use in any launch; `nil` if no launch has times.
    package var firstNanoseconds: UInt64?
    /// How many functions of the image each launch used before this function.
    package var positions = PositionHistogram()
    /// The blocks that ran, ascending.
    package var blocks: [Block] = []

    package init(image: Int, address: StatedAddress) {
      self.image = image
      self.address = address
    }
  }

  /// A basic block, and the number of launches that ran it.
  package struct Block: Hashable, Sendable {
    package var block: FunctionBlock
    package var support: UInt64

    package init(_ block: FunctionBlock, support: UInt64) {
      self.block = block
      self.support = support
    }
  }

  /// A launch that the profile keeps whole.
  package struct Launch: Hashable, Sendable {
    /// The hash of the functions, blocks and data that the launch used, in their order; see `GrowingHash`.
    package var hash: UInt64
    /// The number of launches that used exactly these functions, blocks and data, in this order.
    package var weight: UInt64
    /// The functions that the launch used, as indexes into `functions`: ascending by image, and within an image in the
    /// order of first uses.
    package var functions: [UInt32]
    /// For each of these functions indexes into its `blocks`, in the order of their first uses; empty if no blocks were
    /// recorded.
    package var blocks: [[UInt32]]
    /// The data that the launch touched, as indexes into `data`: ascending by image, and within an image in the order
    /// of first touches.
    package var data: [UInt32]

    package init(
      hash: UInt64, weight: UInt64, functions: [UInt32] = [], blocks: [[UInt32]] = [],
      data: [UInt32] = []
    ) {
      self.hash = hash
      self.weight = weight
      self.functions = functions
      self.blocks = blocks
      self.data = data
    }

    /// Returns indexes into the `blocks` of the function that is the element `index` of `functions`.
    package func blocks(of index: Int) -> [UInt32] { blocks.isEmpty ? [] : blocks[index] }
  }
}
