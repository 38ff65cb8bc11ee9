// Launches as a trace of Perfetto: <https://perfetto.dev/docs/reference/synthetic-track-event>.
//
//     process app, from app.oftrace
//       stages                   slices: until first recorded function, until main, until first screen
//       marks                    instants
//       predicted 4 KiB pages    a counter, with the path of the layout
//       page touches             instants, where 'orderfile pages' counted some
//       thread 1                 an instant for each first hit, a slice for each start-up task
//     process app, page faults, from faults.json
//       page faults, thread 1    a slice for each fault, as long as the kernel took
//       major faults, minor faults
//                                counters
//
// A trace is a list of packets, each with its time and an event, or with the description of a track. Names are written
// once for each sequence of packets, and events refer to them by number; each launch is a sequence of its own. The numbers
// of the fields are those of perfetto_trace.proto; a test decodes them with Perfetto's own classes.
//
// Threads of a trace are numbered from 1, because the recorder does not store the system's numbers. So they are plain
// tracks below their process. Perfetto's own threads would need the system's numbers.

import Addresses
import ImageModel
import Rendering
import Stages

package struct PerfettoTrace {
  private let launches: [ExportedLaunch]
  private let faults: [ExportedFaults]
  private let wording: NameWording

  /// - Parameters:
  ///   - faults: page faults of further launches.
  ///   - wording: how names are shown to people.
  package init(
    _ launches: [ExportedLaunch], faults: [ExportedFaults] = [], wording: @escaping NameWording
  ) {
    self.launches = launches
    self.faults = faults
    self.wording = wording
  }

  /// Passes the bytes of the trace to `sink`, piece by piece. The same launches give the same bytes.
  package func write(to sink: @escaping ([UInt8]) -> Void) {
    let processes = processes
    let numbers = ExportedFaults.flows(of: faults)
    for (index, launch) in launches.enumerated() {
      var sequence = PerfettoSequence(
        number: index + 1, startNanoseconds: launch.startNanoseconds, wording, sink)
      sequence.write(launch, process: processes[index], flowsOfHits: numbers.ofHits[index] ?? [:])
    }
    for (index, launch) in faults.enumerated() {
      var sequence = PerfettoSequence(
        number: launches.count + index + 1, startNanoseconds: 0, wording, sink)
      sequence.write(
        launch, process: processes[launches.count + index], flowsOfFaults: numbers.ofFaults[index])
    }
  }

  /// A process number for each launch, and then for each launch with faults. Perfetto would take two processes with the
  /// same number for one. So the first launch keeps its number, and others get a number that no launch has.
  private var processes: [Int] {
    var taken = Set(launches.compactMap(\.process))
    var kept: Set<Int> = []
    return (launches.map(\.process) + faults.map { _ in nil }).map { process in
      if let process, kept.insert(process).inserted { return process }
      var free = process ?? 1
      while !taken.insert(free).inserted { free += 1 }
      return free
    }
  }
}

/// The packets of one launch.
struct PerfettoSequence {
  private let number: Int
  /// The number of nanoseconds that is added to all times of this launch.
  private let startNanoseconds: UInt64
  package let wording: NameWording
  private let sink: ([UInt8]) -> Void
  private var output = ProtobufWriter()
  private var names = InternedNames()
  private var keys = InternedNames()
  private var texts = InternedNames()

  /// The numbers of the names that have been written, from 1.
  private struct InternedNames {
    private var numbers: [String: Int] = [:]
    private(set) var new: [(number: Int, text: String)] = []

    mutating func number(of text: String) -> Int {
      if let known = numbers[text] { return known }
      let number = numbers.count + 1
      numbers[text] = number
      new.append((number, text))
      return number
    }

    mutating func takeNew() -> [(number: Int, text: String)] {
      defer { new = [] }
      return new
    }
  }

  init(
    number: Int, startNanoseconds: UInt64, _ wording: @escaping NameWording,
    _ sink: @escaping ([UInt8]) -> Void
  ) {
    self.number = number
    self.startNanoseconds = startNanoseconds
    self.wording = wording
    self.sink = sink
  }

  /// A track of the launch. Its identifier is unique among all launches.
  enum Track: Hashable {
    case process, stages, marks, pages, touches, majorFaults, minorFaults
    case thread(Int)

    /// The position of the track among the tracks of the launch.
    var place: Int {
      switch self {
      case .process: 1
      case .stages: 2
      case .marks: 3
      case .pages: 4
      case .touches: 5
      case .majorFaults: 6
      case .minorFaults: 7
      case .thread(let number): 16 + number
      }
    }
  }

  private func identifier(of track: Track) -> UInt64 {
    UInt64(number) << 32 | UInt64(UInt32(clamping: track.place))
  }

  /// - Parameter flowsOfHits: the flows that lead to a hit, by the index of the hit.
  mutating func write(
    _ launch: ExportedLaunch, process: Int, flowsOfHits: [Int: [UInt64]] = [:]
  ) {
    describeTracks(of: launch, process)
    addStages(launch)
    addMarks(launch)
    addHits(launch, flowsOfHits)
    addPrediction(launch)
    addTouches(launch)
    finish()
  }

  func finish() { sink(output.bytes) }
}

// MARK: Tracks

extension PerfettoSequence {
  private mutating func describeTracks(of launch: ExportedLaunch, _ process: Int) {
    let name = ImageReference(path: launch.program).name
    describeProcess(process, "\(name), from \(launch.path)")
    if !launch.stages.isEmpty { describe(.stages, "stages") }
    if launch.marks.contains(where: { $0.nanoseconds != nil && TaskMark($0.name) == nil }) {
      describe(.marks, "marks")
    }
    if let prediction = launch.prediction {
      describeCounter(
        .pages, "predicted \(prediction.pageSize.wording) pages of \(printable(prediction.layout))",
        of: "pages")
    }
    if launch.touches != nil { describe(.touches, "page touches, at the times of first hits") }
    let marks = launch.marks.filter { $0.nanoseconds != nil && TaskMark($0.name) != nil }
    let threads = Set(launch.hits.filter { $0.nanoseconds != nil }.map { $0.thread ?? 0 })
      .union(marks.map { $0.thread ?? 0 })
    for thread in threads.sorted() {
      describe(.thread(thread), thread == 0 ? "first hits" : "thread \(thread)")
    }
  }

  mutating func describeProcess(_ process: Int, _ name: String) {
    describe(.process, isFirst: true) { track in
      track.message(3) { descriptor in
        descriptor.field(1, process)
        descriptor.field(6, printable(name))
      }
      // Perfetto shows child tracks in the order of their ranks.
      track.field(11, 3)
    }
  }

  mutating func describeCounter(_ track: Track, _ name: String, of unit: String) {
    describe(track, name) { track in
      track.message(8) { counter in
        counter.field(3, 2)  // a count
        counter.field(6, unit)
      }
    }
  }

  mutating func describe(
    _ track: Track, _ name: String? = nil, isFirst: Bool = false,
    _ more: (inout ProtobufWriter) -> Void = { _ in }
  ) {
    let number = self.number
    let (identifier, parent) = (identifier(of: track), identifier(of: .process))
    output.message(1) { packet in
      packet.field(10, number)
      if isFirst { packet.field(13, 1) }  // names start again
      packet.message(60) { descriptor in
        descriptor.field(1, identifier)
        if let name { descriptor.field(2, name) }
        more(&descriptor)
        if track != .process {
          descriptor.field(5, parent)
          descriptor.field(12, track.place)
        }
      }
    }
  }
}

// MARK: Events

extension PerfettoSequence {
  enum EventType: Int {
    case sliceBegin = 1
    case sliceEnd, instant, counter
  }

  /// A named value that Perfetto shows with an event.
  enum Annotation {
    case number(Int)
    case address(StatedAddress)
    case text(String)
  }

  /// - Parameter flows: the numbers of the arrows that begin or end at the event.
  mutating func add(
    _ type: EventType, on track: Track, at nanoseconds: UInt64, _ name: String? = nil,
    count: Int? = nil, flows: [UInt64] = [], _ annotations: [(key: String, value: Annotation)] = []
  ) {
    let nameNumber = name.map { names.number(of: $0) }
    let values = annotations.map { annotation in
      var text: Int?
      if case .text(let value) = annotation.value { text = texts.number(of: value) }
      return (key: keys.number(of: annotation.key), value: annotation.value, text: text)
    }
    let time = [startNanoseconds, nanoseconds].saturatingSum()
    let (number, identifier) = (self.number, identifier(of: track))
    let interned = (names.takeNew(), keys.takeNew(), texts.takeNew())
    output.message(1) { packet in
      packet.field(8, time)
      packet.field(10, number)
      packet.field(13, 2)  // the flag that this packet needs the names of earlier packets
      packet.message(11) { event in
        event.field(9, type.rawValue)
        event.field(11, identifier)
        if let nameNumber { event.field(10, nameNumber) }
        if let count { event.field(30, count) }
        for flow in flows { event.field(47, fixed: flow) }
        for value in values {
          event.message(4) { annotation in
            annotation.field(1, value.key)
            switch value.value {
            case .number(let number): annotation.field(4, number)
            case .address(let address): annotation.field(7, address.rawValue)
            case .text: annotation.field(17, value.text ?? 0)
            }
          }
        }
      }
      guard !(interned.0.isEmpty && interned.1.isEmpty && interned.2.isEmpty) else { return }
      packet.message(12) { data in
        Self.write(interned.0, 2, to: &data)
        Self.write(interned.1, 3, to: &data)
        Self.write(interned.2, 29, to: &data)
      }
    }
    if output.bytes.count > 1 << 20 {
      sink(output.bytes)
      output = ProtobufWriter()
    }
  }

  private static func write(
    _ names: [(number: Int, text: String)], _ field: Int, to data: inout ProtobufWriter
  ) {
    for name in names {
      data.message(field) { entry in
        entry.field(1, name.number)
        entry.field(2, name.text)
      }
    }
  }

  private mutating func addStages(_ launch: ExportedLaunch) {
    var start = 0.0
    for stage in launch.stages where !stage.kind.isPart {
      let end = start + max(0, stage.nanoseconds)
      add(.sliceBegin, on: .stages, at: UInt64(start), "until \(stage.name)")
      add(.sliceEnd, on: .stages, at: UInt64(end))
      start = end
    }
  }

  private mutating func addMarks(_ launch: ExportedLaunch) {
    for mark in launch.marks {
      guard let time = mark.nanoseconds else { continue }
      switch TaskMark(mark.name) {
      case .begin(let name):
        add(.sliceBegin, on: .thread(mark.thread ?? 0), at: time, "task \(name)")
      case .end: add(.sliceEnd, on: .thread(mark.thread ?? 0), at: time)
      case nil: add(.instant, on: .marks, at: time, mark.name, [("step", .number(mark.step))])
      }
    }
  }

  private mutating func addHits(_ launch: ExportedLaunch, _ flowsOfHits: [Int: [UInt64]]) {
    for (index, hit) in launch.hits.enumerated() {
      guard let time = hit.nanoseconds else { continue }
      var values: [(key: String, value: Annotation)] = [("step", .number(hit.step))]
      if let address = hit.address { values.append(("address", .address(address))) }
      if let size = hit.sizeBytes { values.append(("sizeBytes", .number(Int(clamping: size)))) }
      values.append(("image", .text(launch.images[hit.image].path)))
      add(
        .instant, on: .thread(hit.thread ?? 0), at: time, hit.wording(wording),
        flows: flowsOfHits[index] ?? [], values)
    }
  }

  private mutating func addPrediction(_ launch: ExportedLaunch) {
    guard let prediction = launch.prediction else { return }
    var last: Int?
    for (hit, pages) in zip(launch.hits, prediction.pages) where pages != last {
      guard let time = hit.nanoseconds else { continue }
      add(.counter, on: .pages, at: time, count: pages)
      last = pages
    }
  }

  private mutating func addTouches(_ launch: ExportedLaunch) {
    for touch in launch.touches ?? [] {
      guard let time = launch.hits[touch.hit].nanoseconds else { continue }
      var values: [(key: String, value: Annotation)] = [
        ("page", .address(touch.page.address)), ("segment", .text(touch.page.segment.rawValue)),
        ("image", .text(launch.images[touch.image].path)),
      ]
      if let function = touch.page.function {
        values.append(("function", .text(wording(function))))
      }
      add(.instant, on: .touches, at: time, touch.page.access.rawValue, values)
    }
  }
}
