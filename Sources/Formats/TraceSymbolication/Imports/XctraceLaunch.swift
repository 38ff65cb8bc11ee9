// From an Instruments recording of a process to the functions of an image that it used.
//
// Two tables describe a launch without instrumentation. `time-profile` has the stack of each running thread once per
// millisecond: every function on it has run by then. It is sparse: what runs between two samples is missing.
// `virtual-memory` has the faults that the kernel handled, with the exact address and usually a stack: the address
// shows which function ran first on its page, but nothing about the other functions on that page. Together they name
// the functions that cost a launch most, but not all that a recorder finds.
//
// Both tables have loaded addresses. The slide belongs to a process: a binary in a stack has the image's UUID and the
// load address of its header. Faults have no binary, but a process. So the process that used the image first is chosen,
// and faults of other processes don't count. The two tables may be in two exports of the same recording.
//
// The address of a stack's first frame is the address of an instruction, or this address plus 1. (Versions differ; on
// arm64, where instructions have 4 bytes, both are in the same function.) The addresses of the other frames are return
// addresses: the call is before the return address, and may be the last instruction of its function.

import Addresses
import ByteReading
import ImageModel
import XctraceFormat

/// The use of one image by one process of an xctrace recording.
package struct XctraceLaunch: Sendable {
  package var process: XctraceProcess
  /// Other processes in the recording that used the image; their uses are left out.
  package var otherProcesses: [XctraceProcess]
  package var slide: Slide
  /// The uses by time; each used function occurs at least once. Within a sample, callers precede the functions that
  /// they called.
  package var touches: [Touch]
  /// The faults of the process, in the image's segments or elsewhere; by time.
  package var faults: [Fault]

  /// The use of a function of the image, at that time or earlier.
  package struct Touch: Hashable, Sendable {
    /// The time since the recording began.
    package var nanoseconds: UInt64
    /// The kernel's number for the thread; `nil` if unknown.
    package var thread: UInt32?
    /// Index into the layout's functions; if there are aliases, the index of the first.
    package var function: Int
    /// Whether the touch comes from the address or the stack of a fault, and not from a sample.
    package var isFault: Bool
  }

  /// A fault that the kernel answered from a file or from the page cache.
  package struct Fault: Hashable, Sendable {
    package var nanoseconds: UInt64
    package var thread: UInt32?
    package var address: StatedAddress
    /// The number of bytes read or mapped; `nil` if the export does not state it.
    package var sizeBytes: UInt64?
    package var durationNanoseconds: UInt64?
    /// Whether the kernel read the page from the file (`File Backed Page In`). Otherwise the page was in memory (`Page
    /// Cache Hit`).
    package var isPageIn: Bool
  }
}

/// The samples and faults of one export that matter for the image.
private struct XctraceSightings {
  struct Stack {
    var nanoseconds: UInt64
    var thread: UInt32?
    var process: UInt64
    var number: Int
    var isOfFault: Bool
  }

  struct Fault {
    var process: UInt64
    var nanoseconds: UInt64
    var thread: UInt32?
    var address: LoadedAddress
    var sizeBytes: UInt64?
    var durationNanoseconds: UInt64?
    var isPageIn: Bool
  }

  let export = XctraceExport()
  /// Each stack once, with the time of its first sample.
  private(set) var stacks: [Stack] = []
  private(set) var faults: [Fault] = []
  private(set) var processes: [UInt64: XctraceProcess] = [:]

  init(_ bytes: FileBytes) throws(ParseError) {
    var stacks: [Stack] = []
    var places: [Int: Int] = [:]
    var faults: [Fault] = []
    var processes: [UInt64: XctraceProcess] = [:]
    try export.read(bytes) { row in
      guard let time = row.nanoseconds, let process = row.process else { return }
      processes[process.number] = process
      let thread = row.thread.map { UInt32(truncatingIfNeeded: $0) }
      if let number = row.stack {
        if let place = places[number] {
          stacks[place].nanoseconds = min(stacks[place].nanoseconds, time)
        } else {
          places[number] = stacks.count
          stacks.append(
            Stack(
              nanoseconds: time, thread: thread, process: process.number, number: number,
              isOfFault: row.table == .virtualMemory))
        }
      }
      guard row.table == .virtualMemory, let address = row.address else { return }
      let isPageIn = row.operation == XctraceRow.fileBackedPageIn
      guard isPageIn || row.operation == XctraceRow.pageCacheHit else { return }
      faults.append(
        Fault(
          process: process.number, nanoseconds: time, thread: thread, address: address,
          sizeBytes: row.sizeBytes, durationNanoseconds: row.durationNanoseconds,
          isPageIn: isPageIn))
    }
    self.stacks = stacks
    self.faults = faults
    self.processes = processes
  }
}

extension XctraceLaunch {
  /// A file, with its path for messages.
  package typealias Export = (path: String, bytes: FileBytes)

  /// Finds the image in exports of one recording.
  ///
  /// - Throws: a diagnostic with the path, if a file is not an export; `mismatch` if no stack has the image's UUID,
  ///   with the UUID of the image of the same name if there is one.
  /// - Complexity: O(*n* + *s* log *s*) for *n* bytes and *s* different stacks.
  package init(
    _ exports: [Export], of image: Image
  ) throws(Diagnostic) {
    guard let id = image.id, id.kind == .uuid, let header = image.headerAddress else {
      throw Diagnostic(
        "unsupported image: expected a Mach-O image with a UUID", context: [image.path],
        severity: .mismatch)
    }
    var sightings: [XctraceSightings] = []
    for export in exports {
      do { sightings.append(try XctraceSightings(export.bytes)) } catch {
        throw Diagnostic("\(error)", context: [export.path])
      }
    }
    var stacks: [(sighting: Int, stack: XctraceSightings.Stack)] = []
    for (index, sighting) in sightings.enumerated() {
      stacks += sighting.stacks.map { (index, $0) }
    }
    stacks.sort {
      ($0.stack.nanoseconds, $0.sighting, $0.stack.number)
        < ($1.stack.nanoseconds, $1.sighting, $1.stack.number)
    }
    let loads = sightings.map { sighting in
      sighting.export.binaries.map { $0.uuid == id.bytes ? $0.loadAddress : nil }
    }

    var found: (process: UInt64, slide: Slide)?
    var others: Set<UInt64> = []
    var touches: [Touch] = []
    var seenAddresses: Set<StatedAddress> = []
    var seenFunctions: Set<Int> = []
    for (sighting, stack) in stacks {
      let frames = sightings[sighting].export.frames(ofStack: stack.number)
      for (depth, frame) in frames.enumerated().reversed() {
        guard let binary = frame.binary, let load = loads[sighting][binary] else { continue }
        let slide = Slide(from: header, to: load)
        let process = found ?? (stack.process, slide)
        found = process
        guard stack.process == process.process else {
          others.insert(stack.process)
          continue
        }
        let stated = frame.address.stated(slide: slide)
        let address = depth > 0 ? StatedAddress(rawValue: stated.rawValue &- 1) : stated
        guard seenAddresses.insert(address).inserted,
          let function = image.layout.functions(containing: address).first,
          seenFunctions.insert(function).inserted
        else { continue }
        touches.append(
          Touch(
            nanoseconds: stack.nanoseconds, thread: stack.thread, function: function,
            isFault: stack.isOfFault))
      }
    }
    guard let found, let process = sightings.compactMap({ $0.processes[found.process] }).first
    else { throw Self.absent(exports.map(\.path), sightings, id, image.path) }
    self.process = process
    slide = found.slide
    otherProcesses = others.sorted().compactMap { number in
      sightings.compactMap { $0.processes[number] }.first
    }
    faults = sightings.flatMap(\.faults).filter { $0.process == found.process }.map {
      Fault(
        nanoseconds: $0.nanoseconds, thread: $0.thread,
        address: $0.address.stated(slide: found.slide), sizeBytes: $0.sizeBytes,
        durationNanoseconds: $0.durationNanoseconds, isPageIn: $0.isPageIn)
    }
    faults.sort { ($0.nanoseconds, $0.address) < ($1.nanoseconds, $1.address) }
    // At equal times, the functions in the stack of a fault precede the function at its address.
    touches += faults.compactMap { fault in
      image.layout.functions(containing: fault.address).first.map {
        Touch(
          nanoseconds: fault.nanoseconds, thread: fault.thread, function: $0, isFault: true)
      }
    }
    self.touches = touches.enumerated().sorted {
      ($0.element.nanoseconds, $0.offset) < ($1.element.nanoseconds, $1.offset)
    }.map(\.element)
  }

  private static func absent(
    _ paths: [String], _ sightings: [XctraceSightings], _ id: ImageID, _ path: String
  ) -> Diagnostic {
    let tables =
      "'/trace-toc/run[@number=\"1\"]/data/table[@schema=\"time-profile\" or @schema=\"virtual-memory\"]'"
    if sightings.allSatisfy({ $0.export.tables.isSubset(of: [.lifeCycle]) }) {
      var names: [String] = []
      for name in sightings.flatMap(\.export.otherTables) {
        names.append("'\(String(decoding: name, as: UTF8.self))'")
      }
      return Diagnostic(
        "missing table 'time-profile' or 'virtual-memory': found "
          + (names.isEmpty ? "none" : names.joined(separator: ", ")), context: paths,
        hint: "export with --xpath \(tables)")
    }
    let binaries = sightings.flatMap(\.export.binaries)
    if binaries.contains(where: { $0.uuid == id.bytes && $0.loadAddress == nil }) {
      return Diagnostic(
        "missing load address: no 'binary' of \(id) has the attribute 'load-addr'", context: paths,
        hint:
          "the functions of samples can't be found without the load address; export the recording with "
          + "'xctrace export' of another Xcode")
    }
    let name = lastComponent(Array(path.utf8))
    let seenImages = sightings.flatMap(\.export.binaries).filter { lastComponent($0.path) == name }
    if let other = seenImages.first(where: { $0.uuid != nil && $0.uuid != id.bytes }),
      let uuid = other.uuid
    {
      return Diagnostic(
        "image ID mismatch: expected \(ImageID(kind: .uuid, bytes: uuid)), found \(id)",
        context: [path], remedies: [profiledBuild], severity: .mismatch)
    }
    return Diagnostic(
      "missing the image: no stack has a frame of \(id)", context: paths,
      remedies: [profiledBuild, Remedy("export both tables of one recording: " + tables)],
      severity: .mismatch)
  }
}

private let profiledBuild = Remedy("give the profiled build with --image", option: "--image")

private func lastComponent(_ path: [UInt8]) -> ArraySlice<UInt8> {
  path.split(separator: UInt8(ascii: "/")).last ?? []
}

extension ImportedLaunch {
  /// The functions that the process used, by time.
  ///
  /// - Returns: also how many of them were first seen in a fault.
  package static func reading(
    _ launch: XctraceLaunch, of image: Image
  ) -> (launch: ImportedLaunch, byFault: Int) {
    var imported = ImportedLaunch(image)
    imported.processNumber = UInt32(truncatingIfNeeded: launch.process.number)
    var byFault = 0
    for touch in launch.touches {
      let before = imported.uses.count
      imported.add(touch.function, nanoseconds: touch.nanoseconds, thread: touch.thread)
      if touch.isFault { byFault += imported.uses.count - before }
    }
    return (imported, byFault)
  }
}
