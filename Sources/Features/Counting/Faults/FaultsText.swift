import ImageModel
import LaunchMeasurement
import Rendering

/// The text report of the page faults of a launch: by place, by time and, if the user wants that, one by one.
package struct FaultsText {
  private let document: FaultsDocument
  private let width: Int?
  private let names: NameWording
  private let listsFaults: Bool

  /// - Parameters:
  ///   - width: the terminal's width in columns; `nil` shortens no name.
  ///   - listsFaults: whether to list each fault.
  package init(
    _ document: FaultsDocument, width: Int? = nil, names: @escaping NameWording = mangled,
    listsFaults: Bool = false
  ) {
    self.document = document
    self.width = width
    self.names = names
    self.listsFaults = listsFaults
  }

  package var text: String {
    let launch =
      "a \(document.cache.rawValue) launch of \(milliseconds(document.wallNanoseconds)) ms"
    guard document.refusal == nil else {
      return "page faults of \(launch), measured: \(document.majorFaults) major, "
        + "\(document.minorFaults) minor\n"
    }
    let total = Sum(document.faults)
    var text =
      "page faults of \(launch), measured: \(total.major) major, \(total.minor) minor; "
      + "the kernel took \(milliseconds(total.nanoseconds)) ms for them\n"
    if !document.faults.isEmpty {
      text += "\n" + places.text(width: width) + "\n" + spans.text(width: width)
      if listsFaults { text += "\n" + list.text(width: width) }
    }
    for sentence in sentences { text += "\n" + sentence }
    return text + "\n"
  }

  private struct Sum {
    var major = 0
    var minor = 0
    var nanoseconds: UInt64 = 0
    /// The times at which the first and the last of the faults began.
    var first: UInt64 = 0
    var last: UInt64 = 0

    init(_ faults: some Collection<FaultsDocument.Fault>) {
      major = faults.count { $0.kind == .major }
      minor = faults.count - major
      nanoseconds = faults.map(\.handlingNanoseconds).saturatingSum()
      first = faults.first?.nanoseconds ?? 0
      last = faults.reduce(0) { $1.nanoseconds }
    }

    /// Returns the sums of the faults at two places, each with at least one fault.
    static func + (a: Self, b: Self) -> Self {
      var sum = a
      sum.major += b.major
      sum.minor += b.minor
      sum.nanoseconds = [a.nanoseconds, b.nanoseconds].saturatingSum()
      sum.first = min(a.first, b.first)
      sum.last = max(a.last, b.last)
      return sum
    }
  }

  private func milliseconds(_ nanoseconds: UInt64) -> String {
    Decimal.milliseconds(nanoseconds: Double(nanoseconds))
  }

  // MARK: By place

  /// Returns the faults by place; the place whose faults took the longest comes first.
  private func byPlace(
    _ faults: some Collection<FaultsDocument.Fault>
  ) -> [(place: String, sum: Sum)] {
    var order: [String] = []
    var groups: [String: [FaultsDocument.Fault]] = [:]
    for fault in faults {
      let place = document.wording(of: fault.place)
      if groups[place] == nil { order.append(place) }
      groups[place, default: []].append(fault)
    }
    return order.map { (place: $0, sum: Sum(groups[$0] ?? [])) }.enumerated().sorted {
      ($1.element.sum.nanoseconds, $0.offset) < ($0.element.sum.nanoseconds, $1.offset)
    }.map(\.element)
  }

  /// The greatest number of places in the table; the JSON document has all places.
  private static let mostPlaces = 20

  private var places: Table {
    var table = Table([
      .init("MAJOR"), .init("MINOR"), .init("TOOK MS"), .init("FIRST AT MS"), .init("LAST"),
      .init("FILE AND SECTION", .left),
    ])
    func add(_ name: String, _ sum: Sum) {
      table.add([
        "\(sum.major)", "\(sum.minor)", milliseconds(sum.nanoseconds), milliseconds(sum.first),
        milliseconds(sum.last), name,
      ])
    }
    let rows = Table.folding(byPlace(document.faults), keeping: Self.mostPlaces) { others in
      (
        place: "\(others.count) others",
        sum: others.dropFirst().reduce(others[others.startIndex].sum) { $0 + $1.sum }
      )
    }
    for (place, sum) in rows { add(place, sum) }
    add("TOTAL", Sum(document.faults))
    return table
  }

  // MARK: By time

  private static let spanCount = 10

  /// A table with the numbers of faults in equal parts of the launch's time.
  private var spans: Table {
    var table = Table([
      .init("UNTIL MS"), .init("MAJOR"), .init("MINOR"), .init("TOOK MS"),
      .init("MOST OF IT IN", .left),
    ])
    let whole = max(document.wallNanoseconds, document.faults.last?.nanoseconds ?? 0)
    var rest = document.faults[...]
    for number in 1...Self.spanCount {
      let end = Double(whole) * Double(number) / Double(Self.spanCount)
      let span = rest.prefix { Double($0.nanoseconds) <= end || number == Self.spanCount }
      rest = rest.dropFirst(span.count)
      let sum = Sum(span)
      table.add([
        Decimal.milliseconds(nanoseconds: end), "\(sum.major)", "\(sum.minor)",
        milliseconds(sum.nanoseconds), byPlace(span).first?.place ?? "-",
      ])
    }
    return table
  }

  // MARK: One by one

  private var list: Table {
    let hasThreads = document.faults.contains { $0.thread > 1 }
    var table = Table(
      [.init("AT MS"), .init("TOOK MS"), .init("KIND", .left)]
        + (hasThreads ? [.init("PROCESS"), .init("THREAD")] : []) + [
          .init("ADDRESS"), .init("FILE AND SECTION", .left), .init("SYMBOL", .left),
          .init("BY", .left),
        ])
    for fault in document.faults {
      var (address, symbol) = ("-", "-")
      switch fault.place {
      case .image(_, let byte):
        address = "\(byte.address)"
        symbol = byte.symbol.map(names) ?? "-"
      case .file(_, let offset): address = "\(offset)"
      case .memory: break
      }
      table.add(
        [
          milliseconds(fault.nanoseconds), milliseconds(fault.handlingNanoseconds),
          fault.kind.rawValue,
        ]
          + (hasThreads ? ["\(fault.process)", "\(fault.thread)"] : [])
          + [address, document.wording(of: fault.place), symbol, instruction(of: fault)])
    }
    return table
  }

  /// Returns the function that accessed the place; `execution` if the place itself was to be executed.
  private func instruction(of fault: FaultsDocument.Fault) -> String {
    guard let instruction = fault.instruction else { return "-" }
    if case .image(let file, let byte) = fault.place, file == instruction.file,
      byte.address == instruction.address
    {
      return "execution"
    }
    let name = instruction.function.map(names) ?? "\(instruction.address)"
    return instruction.file == fault.place.file
      ? name : "\(name) in \(document.files[instruction.file].name)"
  }

  // MARK: What it does not say

  private var sentences: [String] {
    var sentences: [String] = []
    if let device = document.device, let requests = document.requests,
      let bytes = document.readBytes
    {
      sentences.append(
        "device: \(device.wording); the launch made \(counted(Int(clamping: requests), "request")) and read \(ByteCount(bytes).wording)"
      )
    }
    if let prefetched = document.prefetchedFaults {
      sentences.append(
        "prefetched: \(prefetched) of \(counted(document.count(.major), "major fault")) "
          + "\(prefetched == 1 ? "is" : "are") on code or data that the images prefetch")
    }
    if let major = document.unlisted(.major), let minor = document.unlisted(.minor),
      major + minor > 0
    {
      sentences.append(
        "not listed: \(major) major and \(minor) minor faults of the kernel itself, as in exec and in system calls"
      )
    }
    let around = ByteCount(UInt64(document.machine.faultAroundBytes)).wording
    sentences.append(
      "a fault also maps the pages in memory of the \(around) around it: 'orderfile pages' counts all pages that a launch touches"
    )
    return sentences + document.limits.map { "note: \($0)" }
  }
}
