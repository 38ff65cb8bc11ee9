// The conversion from a trace file to the model: loaded addresses become stated addresses.
//
// A hit belongs to the image whose registered guards contain its guard at that time. Code may run before its image
// registers (`.preinit_array`, ifunc resolvers, early constructors), so a hit of a guard without an owner belongs to
// the *next* registration of that range. At exit a library is unloaded and may still be hit; a hit after the unload
// belongs to the library, unless another image has registered the range since.

import Addresses
import ImageModel
import TraceFormat

extension Trace {
  /// - Parameters:
  ///   - path: the path of the trace, for messages.
  ///   - readsNames: whether `names` are wanted. Copying the names takes longer than everything else.
  /// - Complexity: O(*n* log *i*) for *n* records and *i* images, except for hits that no image owned at their time:
  ///   such hits are compared with all images, up to a limit.
  package init(_ file: TraceFile, path: String, readsNames: Bool = true) {
    let header = file.header
    self.init(
      path: path, program: file.bytes.text(header.program.indices),
      processNumber: header.pid == 0 ? nil : header.pid)
    forkedBy = header.flags.contains(.forked) ? header.parentPID : nil
    machine = header.machine
    lostRecords = header.lostRecords
    lostMarks = header.lostMarks
    earlyFunctions = header.earlyFunctions
    workload = file.workload.map(Workload.init)
    inFlightRecords = file.inFlightRecords
    isSealed = header.flags.contains(.sealed)
    if header.flags.contains(.imported) { method = .imported }
    if header.flags.contains(.breakpoints) {
      method = header.flags.contains(.emulated) ? .emulation : .breakpoints
    }
    end = LaunchEnd(header.state)

    let hasGuards = method == .instrumentation
    var registrations = TraceRegistrations(file.records, hasGuards: hasGuards)
    images = registrations.images
    let clock = TraceClock(header)
    if clock != nil, header.session != 0 {
      start = ProcessStart(session: header.session, nanoseconds: header.processStart)
    }
    let numbered = Dictionary(
      images.indices.map { (images[$0].number, $0) }, uniquingKeysWith: { first, _ in first })
    var threads = ThreadNumbers()
    for record in file.records {
      let nanoseconds = clock?.nanoseconds(atTicks: record.ticks)
      switch record.event {
      case .function(let guardAddress, let returnAddress, let entry):
        let place = hasGuards ? guardAddress : entry ?? guardAddress
        guard let index = registrations.owner(of: place, at: record.slot) else {
          unattributedHits += 1
          continue
        }
        let image = images[index]
        let start = registrations.guardStart(index)
        let thread = threads.number(of: record.thread)
        hits.append(
          Hit(
            step: record.slot, image: index,
            guardIndex: hasGuards
              ? Int((guardAddress.rawValue - start.rawValue) / 4) : nil,
            entry: entry.flatMap { image.stated($0) },
            returnAddress: image.stated(returnAddress), nanoseconds: nanoseconds, thread: thread))
      case .mark(let name):
        let thread = threads.number(of: record.thread)
        marks.append(
          Mark(
            name: String(decoding: name, as: UTF8.self), step: record.slot,
            nanoseconds: nanoseconds, thread: thread))
      case .block(let start, let size):
        guard !hasGuards, let index = registrations.owner(of: start, at: record.slot),
          let stated = images[index].stated(start)
        else {
          unattributedHits += 1
          continue
        }
        blockHits.append(
          BlockHit(
            step: record.slot, image: index, block: AddressRange(start: stated, size: size)))
      case .data(let start, let size, let number):
        guard let index = number.flatMap({ numbered[$0] }), 1...DataTouch.largestGranule ~= size
        else {
          unattributedHits += 1
          continue
        }
        let granule = AddressRange(start: start.stated(slide: images[index].slide), size: size)
        dataHits.append(
          DataHit(
            image: index,
            touch: DataTouch(step: record.slot, bytes: granule, nanoseconds: nanoseconds)))
      case .load, .unload, .name, .exec, .other: break
      }
    }
    for code in file.recordableCode {
      guard let image = numbered[code.image], images[image].recordable == nil else { continue }
      images[image].recordable = RecordableCode(code)
    }
    guard readsNames else { return }
    names = file.names.compactMap { name in
      guard let image = numbered[name.image] else { return nil }
      return RecordedName(
        image: image, address: name.address, size: name.size,
        name: SymbolName(bytes: name.name))
    }
    names += Self.dladdrNames(file.records, images)
    names.sort { a, b in
      if a.image != b.image { return a.image < b.image }
      if a.address != b.address { return a.address < b.address }
      return a.name < b.name
    }
  }

  /// The names that the recorded process asked its loader for; they do not make a trace sealed.
  private static func dladdrNames(
    _ records: [TraceRecord], _ images: [TraceImage]
  ) -> [RecordedName] {
    var comparisonsLeft = 1 << 26
    return records.compactMap { record in
      guard case .name(let address, let name) = record.event, comparisonsLeft >= 0 else {
        return nil
      }
      for (index, image) in images.enumerated() {
        comparisonsLeft -= 1
        guard let stated = image.stated(address) else { continue }
        return RecordedName(image: index, address: stated, size: nil, name: SymbolName(bytes: name))
      }
      return nil
    }
  }
}

extension Trace.LaunchEnd {
  /// - Parameter state: the state at the end; an unknown state counts as an exit.
  package init(_ state: TraceHeader.State) {
    self =
      switch state {
      case .stoppedByCall: .stoppedByCall
      case .stoppedByMark: .stoppedByMark
      case .stoppedByTime: .stoppedByTime
      case .stoppedByFunction: .stoppedByFunction
      case .stoppedWhenReady: .stoppedWhenReady
      default: .exit
      }
  }
}

extension TraceImage {
  /// `address` as a stated address, if it is in the image's code.
  fileprivate func stated(_ address: LoadedAddress) -> StatedAddress? {
    let value = address.stated(slide: slide)
    return text.contains(value) ? value : nil
  }
}

extension TraceImage {
  init(_ number: UInt64, _ record: TraceImageRecord) {
    let id = record.id.flatMap { id in
      UInt8(exactly: id.kind).flatMap(ImageID.Kind.init(rawValue:)).map {
        ImageID(kind: $0, bytes: id.bytes)
      }
    }
    self.init(
      number: number, path: String(decoding: record.path, as: UTF8.self),
      id: id, slide: record.slide,
      text: AddressRange(
        start: record.textStart.stated(slide: record.slide),
        size: record.textSize),
      guardCount: Int(clamping: record.guardSize / 4))
    switch record.blocks {
    case .listed(let count): blockCount = Int(clamping: count)
    case .executed: hasExecutedRuns = true
    }
  }
}

/// The numbers of threads, given from 1 in the order of their first records.
private struct ThreadNumbers {
  private var numbers: [UInt32: Int] = [:]
  /// Most records are of the same thread as the record before.
  private var last: (thread: UInt32, number: Int)?

  /// The number of a thread; a new thread gets the next number. `nil` if the source does not state the thread.
  mutating func number(of thread: UInt32?) -> Int? {
    guard let thread else { return nil }
    if let last, last.thread == thread { return last.number }
    let number = numbers[thread] ?? numbers.count + 1
    numbers[thread] = number
    last = (thread, number)
    return number
  }
}

extension Workload {
  fileprivate init(_ workload: TraceWorkload) {
    self.init(
      launch: String(decoding: workload.name, as: UTF8.self), commandLine: workload.commandLine,
      inputs: workload.inputs.map {
        Input(path: String(decoding: $0.path, as: UTF8.self), hash: $0.hash)
      })
  }
}
