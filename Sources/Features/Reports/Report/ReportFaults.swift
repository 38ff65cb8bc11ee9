import Addresses
import Counting
import ImageModel
import JSON
import PagesFormat

/// The page faults of a launch, from a document of `orderfile faults --json`, and the layout with the image that they
/// are in.
package struct ReportFaults: Sendable {
  /// The path of the document with the faults.
  package var path: String
  package var document: FaultsDocument
  /// The layout with the image; `nil` if the report has no such layout. The image is then the program's file.
  package var side: ReportLayout.Side?

  /// The greatest number of faults of one launch in a report; later faults are left out.
  package static let mostFaults = 25_000

  package init(path: String, _ document: FaultsDocument, side: ReportLayout.Side?) {
    self.path = path
    self.document = document
    self.side = side
  }

  private var shown: ArraySlice<FaultsDocument.Fault> { document.faults.prefix(Self.mostFaults) }

  /// What was left out because there is too much of it.
  var limits: [Diagnostic] {
    guard shown.count < document.faults.count else { return [] }
    return [
      Diagnostic(
        "the report has the first \(shown.count) of \(document.faults.count) faults",
        context: [path])
    ]
  }
}

extension ReportFaults {
  /// The part of memory in which the faulting address lies.
  private enum Part: Int {
    /// The parts are the code of the layout's image, the rest of that image, other files, and memory without a file.
    case code, data, otherFile, memory
  }

  /// Returns the part that contains `place`. Constants may lie in the segment of the code, so the sections decide.
  private func part(
    of place: FaultsDocument.Place, image: Int?, _ layout: ReportLayout?
  ) -> Part {
    guard let file = place.file else { return .memory }
    guard file == image, case .image(_, let byte) = place else { return .otherFile }
    let section = layout?.layout.sections.first { $0.range.contains(byte.address) }
    return section?.isExecutable ?? (byte.segment == .text) ? .code : .data
  }

  func write(to json: inout JSONWriter, _ layouts: [ReportLayout], _ names: inout ReportNames) {
    let layout = layouts.first { $0.side == side }
    let image =
      layout.map { layout in
        document.files.firstIndex { $0.id != nil && $0.id == layout.image.id }
      } ?? 0
    var places: [(words: String, part: Part)] = []
    var numbers: [String: Int] = [:]
    var columns: (address: [Int], place: [Int], name: [Int], by: [Int]) = ([], [], [], [])
    for fault in shown {
      let (words, part) = (
        document.wording(of: fault.place), part(of: fault.place, image: image, layout)
      )
      // The key of a place has the part of memory, because another file may have the same name.
      let key = "\(part.rawValue) \(words)"
      let number = numbers[key] ?? places.count
      if number == places.count {
        numbers[key] = number
        places.append((words, part))
      }
      columns.place.append(number)
      var (address, symbol): (Int?, SymbolName?)
      if case .image(let file, let byte) = fault.place {
        symbol = byte.symbol
        if file == image {
          address = layout?.shown(AddressRange(start: byte.address, size: 1))?.lowerBound
        }
      }
      columns.address.append(address ?? -1)
      columns.name.append(names.number(of: symbol))
      columns.by.append(names.number(of: fault.instruction?.function))
    }
    json.column("address", columns.address)
    json.column("by", columns.by)
    json.member("cache", document.cache.rawValue)
    json.column("command", document.command)
    json.column("handlingNanoseconds", shown.map(\.handlingNanoseconds))
    json.column("kind", shown.map { $0.kind == .major ? 1 : 0 })
    json.member("limits", document.limits)
    json.member("lost", document.lost)
    json.member("majorFaults", document.majorFaults)
    json.member("minorFaults", document.minorFaults)
    json.column("name", columns.name)
    json.column("nanoseconds", differences(shown.map { Int(clamping: $0.nanoseconds) }))
    json.column("parts", places.map(\.part.rawValue))
    json.member("path", path)
    json.column("place", columns.place)
    json.column("places", places.map(\.words))
    json.optional("refusal", document.refusal)
    json.optional("side", side?.rawValue)
    json.column("thread", shown.map(\.thread))
    json.member("wallNanoseconds", document.wallNanoseconds)
  }
}
