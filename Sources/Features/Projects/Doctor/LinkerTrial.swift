// Finds out what a linker can do by linking with it.
//
// Three functions and three variables, each in a section of its own, are linked with an order file that puts them into
// another order, neither the first order nor its reverse. The trial examines the linked image, because a linker may
// accept an order file and ignore it: lld and gold ignore names that they do not find.

import Addresses
import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat
import OrderFileFormat

/// The facts about a linker that linking with it has shown.
package struct LinkerFacts: Hashable, Sendable {
  package var linker: BuildLinker
  /// The output of `--version`; `nil` if `PATH` has no such linker.
  package var version: String?
  /// Whether the linker placed functions by an order file; `nil` if there was no compiler to try.
  package var ordersFunctions: Bool?
  package var ordersData: Bool?
  package var writesMaps: Bool?
  /// How the linker places functions by the names of their sections, if it takes no order file; `nil` if the linker
  /// does not place them by names, or was not tried.
  package var renaming: RenamingLinker?

  package init(
    _ linker: BuildLinker, version: String? = nil, ordersFunctions: Bool? = nil,
    ordersData: Bool? = nil, writesMaps: Bool? = nil, renaming: RenamingLinker? = nil
  ) {
    self.linker = linker
    self.version = version
    self.ordersFunctions = ordersFunctions
    self.ordersData = ordersData
    self.writesMaps = writesMaps
    self.renaming = renaming
  }
}

extension LinkerFacts {
  /// The name of the linker in messages.
  package var name: String { linker.title }
  /// Whether it is the usual linker of ELF images, lld.
  var isUsual: Bool { linker.dialect?.isUsual ?? false }
}

struct LinkerTrial {
  private let trials: ToolTrials
  /// The object file to link; `nil` if no compiler could make it.
  private let object: String?
  /// The object file with two functions in sections with names for mold; `nil` if no compiler could make it.
  private let namedObject: String?

  private static let source = """
    int of_a(int n) { return n + 1; }
    int of_b(int n) { return n + 2; }
    int of_c(int n) { return n + 3; }
    int of_x = 1, of_y = 2, of_z = 3;

    """
  private static let functions = ["of_c", "of_a", "of_b"]
  private static let data = ["of_z", "of_x", "of_y"]

  private static let namedSource = """
    __attribute__((section(".startup.2"))) int of_a(int n) { return n + 1; }
    int of_b(int n) { return n + 2; }
    __attribute__((section(".startup.1"))) int of_c(int n) { return n + 3; }
    int of_d(int n) { return n + 4; }

    """

  /// - Parameter compilers: the paths of C compilers. The first one that works is used.
  init(_ trials: ToolTrials, compilers: [String]) throws(Diagnostic) {
    self.trials = trials
    object = try Self.object(of: Self.source, "trial", trials, compilers)
    namedObject = try Self.object(of: Self.namedSource, "named", trials, compilers)
  }

  private static func object(
    of source: String, _ name: String, _ trials: ToolTrials, _ compilers: [String]
  ) throws(Diagnostic) -> String? {
    try trials.write(source, to: "\(name).c")
    let object = trials.path("\(name).o")
    let isMade = compilers.contains { compiler in
      let run = trials.run([
        compiler, "-O1", "-fPIC", "-ffunction-sections", "-fdata-sections", "-c",
        trials.path("\(name).c"), "-o", object,
      ])
      return run?.succeeded ?? false
    }
    return isMade ? object : nil
  }

  /// - Parameters:
  ///   - program: the path of the linker's program.
  ///   - version: the first line of the linker's `--version`.
  ///   - dialect: the dialect of the order files to try.
  func facts(
    _ linker: BuildLinker, _ program: String, _ version: String, _ dialect: OrderFileDialect
  ) throws(Diagnostic) -> LinkerFacts {
    var facts = LinkerFacts(linker, version: Self.version(version))
    guard object != nil else { return facts }
    let functions = Self.functions.map { name in
      OrderFileEntry(symbol: Array(name.utf8), section: Array(".text.\(name)".utf8))
    }
    let order = dialect.write(functions).bytes
    facts.ordersFunctions = try follows(
      String(decoding: order, as: UTF8.self), program, dialect, Self.functions)
    facts.writesMaps =
      (try? InputFile.bytes(trials.path("trial.map"))).map { $0.count > 0 } ?? false
    facts.ordersData = try follows(
      dialect.orderOfVariables(Self.data), program, dialect, Self.data)
    if facts.ordersFunctions == false, let renaming = RenamingLinker(name: linker.name),
      placesTogether(program)
    {
      facts.renaming = renaming
    }
    return facts
  }

  /// Whether the linker sorts output sections by name, so that functions in sections with sorted names are placed
  /// together.
  private func placesTogether(_ linker: String) -> Bool {
    guard let namedObject else { return false }
    let image = trials.path("named.so")
    let run = trials.run([linker, "-shared", namedObject, "-o", image])
    guard run?.succeeded ?? false else { return false }
    let places = Self.addresses(of: ["of_c", "of_a", "of_b", "of_d"], in: image)
    guard places.count == 4, places[0] < places[1] else { return false }
    return places[2...].allSatisfy { $0 < places[0] || $0 > places[1] }
  }

  /// Whether the linker places `names` in the order of `text`, the contents of an order file. The link also writes a
  /// link map.
  private func follows(
    _ text: String, _ linker: String, _ dialect: OrderFileDialect, _ names: [String]
  ) throws(Diagnostic) -> Bool {
    let order = Array(trials.path("trial.order").utf8)
    guard let object, let words = dialect.linkerArguments(orderFile: order) else { return false }
    try trials.write(text, to: "trial.order")
    let image = trials.path("trial.so")
    Folder.remove(Array(image.utf8))
    let run = trials.run(
      [linker, "-shared", object, "-o", image, "-Map=\(trials.path("trial.map"))"]
        + words.map { String(decoding: $0, as: UTF8.self) })
    guard run?.succeeded ?? false else { return false }
    let addresses = Self.addresses(of: names, in: image)
    return addresses.count == names.count && addresses == addresses.sorted()
  }

  /// Returns the addresses of the symbols `names`, in that order, without symbols that the image does not have.
  private static func addresses(of names: [String], in path: String) -> [StatedAddress] {
    guard let bytes = try? InputFile.bytes(path), let file = try? ELFFile(parsing: bytes),
      let table = try? file.dynamicSymbolTable()
    else { return [] }
    var found: [String: StatedAddress] = [:]
    table.forEachSymbol { symbol in
      guard let name = table.names.name(at: symbol.nameOffset) else { return }
      found[bytes.text(name.indices)] = symbol.value
    }
    return names.compactMap { found[$0] }
  }

  /// Returns a short version: `GNU ld (GNU Binutils for Debian) 2.40` as it is, and `LLD 19.1` for
  /// `LLD 19.1 (https://...) (compatible ...)`.
  static func version(_ line: String) -> String {
    let rest = line.firstRange(of: " (https:") ?? line.firstRange(of: " (compatible")
    return rest.map { String(line[..<$0.lowerBound]) } ?? line
  }
}
