import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import Reporting

/// What the loader does with one image besides mapping it.
struct LoaderWork {
  var relocations = AuditedImage.Relocations()
  /// In the order of the calls.
  var initializers: [(kind: String, address: StatedAddress?)] = []
  /// Names of initializers that need no symbol, by their place in `initializers`: those of Objective-C.
  var initializerNames: [Int: SymbolName] = [:]
  var problems: [Diagnostic] = []

  init() {}

  /// - Parameter path: for messages.
  init(of file: ELFFile, path: String, pageSize: PageSize) {
    let types = Set(file.segments.map(\.type))
    if file.sections.isEmpty, types.contains(.load), !types.contains(.dynamic) {
      problems.append(
        Diagnostic(
          "it has neither section headers nor a dynamic section: its relocations and initializers are unknown",
          context: [path]))
    }
    var counts = [Int](repeating: 0, count: ELFRelocationKind.allCases.count)
    var pages = RelocatedPages(pageSize)
    do throws(ParseError) {
      try file.forEachRelocatedWord { kind, address in
        counts[kind.place] += 1
        pages.add(address)
      }
    } catch { problems.append(Diagnostic("unread relocations: \(error)", context: [path])) }
    relocations.counts = zip(ELFRelocationKind.allCases, counts).filter { $0.1 > 0 }
      .map { ($0.0.rawValue, $0.1) }
    relocations.pages = pages.count
    do throws(ParseError) {
      initializers = try file.initializers().map { ($0.kind.rawValue, $0.address) }
    } catch { problems.append(Diagnostic("unread initializers: \(error)", context: [path])) }
  }
}

extension ELFRelocationKind {
  /// Its place in `allCases`.
  fileprivate var place: Int {
    switch self {
    case .relative: 0
    case .relr: 1
    case .symbolic: 2
    case .globalData: 3
    case .jumpSlot: 4
    case .indirect: 5
    case .copy: 6
    case .threadLocal: 7
    case .other: 8
    }
  }
}
