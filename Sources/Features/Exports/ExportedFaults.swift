import Counting

/// The page faults of a launch, to export together with the first hits of recorded launches.
package struct ExportedFaults: Sendable {
  /// The path of the document with the faults.
  package var path: String
  package var document: FaultsDocument
  /// The first hit of the function whose execution faulted, by the index of the fault.
  package var firstHitOfFault: [Int: Hit]

  /// A first hit of a recorded launch.
  package struct Hit: Hashable, Sendable {
    /// The index of the launch, and the index of the hit in the launch.
    package var launch: Int
    package var hit: Int

    package init(launch: Int, hit: Int) {
      self.launch = launch
      self.hit = hit
    }
  }

  package init(path: String, _ document: FaultsDocument, firstHitOfFault: [Int: Hit]) {
    self.path = path
    self.document = document
    self.firstHitOfFault = firstHitOfFault
  }

  /// Returns a number, from 1, for each fault in a function that has a first hit, and the same numbers by launch and
  /// hit.
  static func flows(
    of launches: [ExportedFaults]
  ) -> (ofFaults: [[Int: UInt64]], ofHits: [Int: [Int: [UInt64]]]) {
    var number: UInt64 = 0
    var ofHits: [Int: [Int: [UInt64]]] = [:]
    let ofFaults = launches.map { launch in
      var numbers: [Int: UInt64] = [:]
      for fault in launch.document.faults.indices {
        guard let hit = launch.firstHitOfFault[fault] else { continue }
        number += 1
        numbers[fault] = number
        ofHits[hit.launch, default: [:]][hit.hit, default: []].append(number)
      }
      return numbers
    }
    return (ofFaults, ofHits)
  }
}

// MARK: Perfetto

extension PerfettoSequence {
  /// - Parameter flowsOfFaults: the numbers of the arrows that lead from faults to first hits, by the index of the
  ///   fault.
  mutating func write(_ launch: ExportedFaults, process: Int, flowsOfFaults: [Int: UInt64]) {
    let document = launch.document
    let program = document.files.first?.name ?? document.command.first ?? "launch"
    describeProcess(
      process, "\(program), page faults of a \(document.cache.rawValue) launch, from \(launch.path)"
    )
    describeCounter(.majorFaults, "major faults", of: "faults")
    describeCounter(.minorFaults, "minor faults", of: "faults")
    let threads = Set(document.faults.map(\.thread))
    for thread in threads.sorted() { describe(.thread(thread), "page faults, thread \(thread)") }
    var counts: [FaultsDocument.Kind: Int] = [:]
    for (index, fault) in document.faults.enumerated() {
      add(
        .sliceBegin, on: .thread(fault.thread), at: fault.nanoseconds,
        "\(fault.kind.rawValue) fault",
        flows: flowsOfFaults[index].map { [$0] } ?? [], annotations(of: fault, in: document))
      add(
        .sliceEnd, on: .thread(fault.thread),
        at: [fault.nanoseconds, fault.handlingNanoseconds].saturatingSum())
      let count = (counts[fault.kind] ?? 0) + 1
      counts[fault.kind] = count
      add(
        .counter, on: fault.kind == .major ? .majorFaults : .minorFaults, at: fault.nanoseconds,
        count: count)
    }
    finish()
  }

  private func annotations(
    of fault: FaultsDocument.Fault, in document: FaultsDocument
  ) -> [(key: String, value: Annotation)] {
    var values: [(key: String, value: Annotation)] = [
      ("place", .text(document.wording(of: fault.place)))
    ]
    if case .image(let file, let byte) = fault.place {
      values.append(("address", .address(byte.address)))
      if let symbol = byte.symbol { values.append(("symbol", .text(wording(symbol)))) }
      values.append(("image", .text(document.files[file].path)))
    }
    if let function = fault.instruction?.function {
      values.append(("function", .text(wording(function))))
    }
    return values
  }
}
