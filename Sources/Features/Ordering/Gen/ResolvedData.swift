import Addresses
import CommandSupport
import FunctionOrder
import ImageModel
import OrderFileFormat
import Rendering
import Symbolication

/// The data that launches touched, as data of the build to order.
struct ResolvedData {
  let data: DataLayout
  let release: ReleaseLayout
  private var wholeLaunches: [UsedParts.Launch] = []
  /// The data that no whole launch touched. Each recorded build lists such data, the most touched datum first; element
  /// *i* has the data at place *i* of these lists.
  private var others: [[Int]] = []
  /// For each section of the data: the touched addresses of data without a name.
  private(set) var unnamed: [Int: [StatedAddress]] = [:]
  /// The number of touches in other builds of data without a name.
  private(set) var unnamedElsewhere = 0
  private(set) var warnings: [Diagnostic] = []
  /// The touched bytes of the build, in the order of first touches.
  private(set) var places: [AddressRange] = []
  /// Indexes of strings, in the order of first touches.
  private(set) var strings: [Int] = []
  private(set) var missing: [NameWithReason] = []
  private var isKnownString: Set<Int> = []
  private var isMissing: Set<SymbolName> = []
  private var isMissingString: Set<UInt32> = []
  private var stringsByHash: [UInt32: Int]?
  private var names: SymbolMap?
  private var functions: SymbolMap?

  init(data: DataLayout, release: ReleaseLayout) {
    self.data = data
    self.release = release
  }

  /// - Throws: `mismatch` if the build has fewer than a quarter of the names that a launch of another build touched.
  mutating func add(_ launch: LaunchData) throws(Diagnostic) {
    let isSameBuild = launch.imageID != nil && launch.imageID == release.reference.id
    var touched: [[Int]] = []
    var lost = 0
    for touch in launch.touches {
      let found =
        isSameBuild ? symbols(in: touch.touch.bytes) : touch.names.flatMap { symbols(named: $0) }
      if !isSameBuild, touch.names.isEmpty, touch.strings.isEmpty { unnamedElsewhere += 1 }
      if !isSameBuild { for hash in touch.strings { addString(hash) } }
      if !isSameBuild, found.isEmpty, touch.strings.isEmpty,
        let name = touch.names.first(where: { !isFunction($0) })
      {
        lost += 1
        if isMissing.insert(name).inserted {
          missing.append(
            NameWithReason(name: name, reason: MissingReason.noSuchSymbol.description))
        }
      }
      touched.append(found)
      places +=
        isSameBuild ? [touch.touch.bytes] : found.map { data.layout.functions[$0].knownBody }
    }
    let known = touched.count { !$0.isEmpty }
    // Images are matched by their file names, so a quarter of the names is enough to identify the program.
    let found = FoundFunctions(found: known, all: known + lost)
    let isProved = isSameBuild || found.proveProgram || launch.source == .otherLaunches
    guard isProved || found.supportTraits else {
      throw Diagnostic(
        "only \(known) of \(counted(known + lost, "datum", "data")) that the launch touched were found by name in "
          + "'\(fileName(ofPath: release.path))': this image is another program, or its symbols were stripped",
        context: [launch.path], severity: .mismatch)
    }
    if !isProved {
      warnings.append(
        Diagnostic(
          "only \(known) of \(counted(found.all, "datum", "data")) "
            + "(\(Percentage.share(known, of: found.all))) that the launch touched were found by name in "
            + "'\(fileName(ofPath: release.path))'", context: [launch.path],
          hint: "if data were renamed, record a launch of this build"))
    }
    if launch.source == .otherLaunches {
      for (place, data) in touched.enumerated() {
        if place < others.count { others[place] += data } else { others.append(data) }
      }
    } else {
      wholeLaunches.append(UsedParts.Launch(weight: launch.weight, uses: Self.parts(touched)))
    }
  }

  /// The touches of whole launches, and then the data that no whole launch touched.
  var used: UsedParts { UsedParts(launches: wholeLaunches, others: Self.parts(others)) }

  /// Returns the data of each touch, in the layout's order.
  private static func parts(_ touched: [[Int]]) -> [Part] {
    touched.flatMap { $0.sorted().map { Part($0) } }
  }

  private mutating func symbols(in bytes: AddressRange) -> [Int] {
    data.places(in: bytes).flatMap { place in
      switch place {
      case .symbol(let found): return Array(found)
      case .string(let index):
        addString(at: index)
        return []
      case .unnamed:
        if let section = data.layout.section(containing: bytes.start) {
          unnamed[section, default: []].append(bytes.start)
        }
        return []
      }
    }
  }

  private mutating func addString(at index: Int) {
    if isKnownString.insert(index).inserted { strings.append(index) }
  }

  /// Adds a string that a launch of another build touched.
  private mutating func addString(_ hash: UInt32) {
    let known = stringsByHash ?? hashedStrings
    stringsByHash = known
    if let index = known[hash] {
      addString(at: index)
    } else if isMissingString.insert(hash).inserted {
      missing.append(NameWithReason(name: SymbolName("CSTR;\(hash)"), reason: "no such string"))
    }
  }

  private var hashedStrings: [UInt32: Int] {
    guard let bytes = release.bytes else { return [:] }
    return Dictionary(
      data.strings.indices.map { (bytes.copy(data.strings[$0].contents).stringHash, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private mutating func symbols(named name: SymbolName) -> [Int] {
    var map = names ?? SymbolMap(data.layout)
    defer { names = map }
    return map.resolve(name).functions
  }

  private mutating func isFunction(_ name: SymbolName) -> Bool {
    var map = functions ?? SymbolMap(release.layout)
    defer { functions = map }
    return !map.resolve(name).functions.isEmpty
  }

  /// Returns the number of variables that were touched in `section` and whose addresses satisfy `matches`.
  func count(in section: Int, where matches: (StatedAddress) -> Bool) -> Int {
    Set(
      used.all.map { data.layout.functions[$0.function] }
        .filter { Int($0.section) == section }.map(\.address)
    ).count(where: matches)
  }
}
