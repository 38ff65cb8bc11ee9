// The trace of an emulator, completed
//
// QEMU's plugin notes runs of instructions that are translated, and so executed, for the first time; it knows the image
// of each run, but neither functions nor basic blocks. Here each run becomes records of the kinds that a recording with
// breakpoints has:
//
// - a record for each function whose first byte is in the run;
// - for an image with a map of its basic blocks, a record for each block of the map whose first byte is in the run;
// - for an image without such a map, a record for the run itself, cut where a function begins.
//
// A run ends at a jump or a call, like a basic block. But it may begin inside a block, and span several blocks that run
// into each other. All instructions of a run were executed. Runs do not overlap, except where code jumps into the
// middle of an instruction.

import Addresses
import ImageModel
import Symbolication
import TraceFormat

/// The trace that `record --qemu` makes from the plugin's trace.
package struct EmulatedTrace {
  /// A point at which a recording ends.
  package struct End: Sendable {
    /// The time of the end in nanoseconds since boot, which are the ticks of an emulator's traces.
    package var ticks: UInt64
    package var state: TraceHeader.State

    package init(ticks: UInt64, state: TraceHeader.State) {
      self.ticks = ticks
      self.state = state
    }
  }

  /// The bytes of the completed trace.
  package let bytes: [UInt8]
  /// Whether the trace has no first use.
  package let isEmpty: Bool
  /// The paths of images whose build at the path is not the build that ran. The trace does not have
  /// these images.
  package let others: [String]
  /// The paths of programs that the process executed in place of its own program. They ran outside of the emulator and
  /// were not recorded.
  package let programs: [String]

  /// - Parameters:
  ///   - end: where the recording ended; `nil` if it ended with the process.
  ///   - renamed: the path of an image in the trace, by the path under which the image ran.
  ///   - places: the functions and blocks of the image at a path; `nil` leaves the image out.
  /// - Complexity: O(*r* log *n*) for *r* records, and *n* functions and blocks in an image.
  package init(
    _ file: TraceFile, until end: End? = nil, renamed: [String: String] = [:],
    _ places: (String) -> BreakpointPlaces?
  ) {
    var registrations = TraceRegistrations(file.records, hasGuards: false)
    var known: [BreakpointPlaces?] = []
    var records: [TraceRecord] = []
    var isEmpty = true
    var others: [String] = []
    var programs: [UInt32: String] = [:]
    for record in file.records where record.ticks <= end?.ticks ?? .max {
      var record = record
      switch record.event {
      case .load(let number, var image):
        let path = String(decoding: image.path, as: UTF8.self)
        let name = renamed[path] ?? path
        var found = places(name)
        if let places = found, !places.isBuild(image.id) {
          if !others.contains(name) { others.append(name) }
          found = nil
        }
        known.append(found)
        guard let found else { continue }
        image.id = TraceImageRecord.ID(kind: UInt32(found.id.kind.rawValue), bytes: found.id.bytes)
        if let name = renamed[path] { image.path = Array(name.utf8) }
        image.guardSize = 4 * UInt64(found.functions.count)
        image.blocks = found.blocks.map { .listed(UInt32(clamping: $0.ranges.count)) } ?? .executed
        record.event = .load(image: number, image)
        records.append(record)
      case .unload: records.append(record)
      case .block(let start, let size):
        guard let owner = registrations.owner(of: start, at: record.slot), owner < known.count,
          let found = known[owner]
        else { continue }
        let slide = registrations.images[owner].slide
        let run = AddressRange(start: start.stated(slide: slide), size: size)
        for use in found.firstUses(in: run) {
          isEmpty = false
          record.event =
            switch use {
            case .function(let entry):
              .function(
                guard: LoadedAddress(rawValue: 0), returnAddress: LoadedAddress(rawValue: 0),
                entry: entry.loaded(slide: slide))
            case .block(let block): .block(block.start.loaded(slide: slide), size: block.size)
            }
          records.append(record)
        }
      case .exec(let path):
        programs[record.thread ?? 0] = path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
      default: continue
      }
    }
    self.isEmpty = isEmpty
    self.others = others
    self.programs = programs.keys.sorted().compactMap { programs[$0] }
    bytes = file.replacing(records: records, state: end?.state)
  }

  /// The time at which the function `name` of any image was first executed, in nanoseconds since boot; `nil` if that
  /// never happened.
  package static func ticks(
    ofFirst name: String, in file: TraceFile, _ places: (String) -> BreakpointPlaces?
  ) -> UInt64? {
    var registrations = TraceRegistrations(file.records, hasGuards: false)
    var entries: [StatedAddress?] = []
    for record in file.records {
      if case .load(_, let image) = record.event {
        let found = places(String(decoding: image.path, as: UTF8.self))
        entries.append(found.flatMap { $0.isBuild(image.id) ? $0.named[name] : nil })
      }
      guard case .block(let start, let size) = record.event,
        let owner = registrations.owner(of: start, at: record.slot), owner < entries.count,
        let entry = entries[owner]
      else { continue }
      let run = AddressRange(
        start: start.stated(slide: registrations.images[owner].slide), size: size)
      if run.contains(entry) { return record.ticks }
    }
    return nil
  }
}

extension BreakpointPlaces {
  /// Whether an image with this ID in memory is this build. The plugin gives no ID to an image
  /// whose headers are not in memory; then the answer is yes.
  fileprivate func isBuild(_ id: TraceImageRecord.ID?) -> Bool {
    guard let id else { return true }
    return id.kind == UInt32(idInMemory.kind.rawValue) && id.bytes == idInMemory.bytes
  }

  /// The first use of a function or a block.
  enum FirstUse: Equatable {
    case function(StatedAddress)
    case block(AddressRange)
  }

  /// Returns the first uses in `run`, all of which is executed for the first time; ascending, a function before its
  /// block.
  func firstUses(in run: AddressRange) -> [FirstUse] {
    let from = functions.partitioningIndex { $0 >= run.start }
    let entries = functions[from...].prefix { $0 < run.end }
    guard let blocks else {
      var uses: [FirstUse] = []
      var start = run.start
      for entry in entries {
        if start < entry { uses.append(.block(AddressRange(start, entry))) }
        uses.append(.function(entry))
        start = entry
      }
      return start < run.end ? uses + [.block(AddressRange(start, run.end))] : uses
    }
    let begun = blocks.ranges(beginningIn: run)
    let uses =
      entries.map { (place: $0, rank: 0, use: FirstUse.function($0)) }
      + begun.map { (place: $0.start, rank: 1, use: FirstUse.block($0)) }
    return uses.sorted { ($0.place, $0.rank) < ($1.place, $1.rank) }.map(\.use)
  }
}

extension AddressRange {
  fileprivate init(_ start: StatedAddress, _ end: StatedAddress) {
    self.init(start: start, size: end.rawValue - start.rawValue)
  }
}
