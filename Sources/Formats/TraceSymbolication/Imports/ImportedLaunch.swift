// Another tool's recording of a launch, converted to a trace of one image.

import Addresses
import ByteReading
import ImageModel
import TraceFormat

/// The first uses of an image's functions in another tool's recording, and the entries that could not be used.
package struct ImportedLaunch: Sendable {
  package let image: Image
  /// The number of the process; `nil` if the source does not state it.
  package var processNumber: UInt32?
  /// The first uses of functions, each function once, earliest first; all names at one address are one function.
  package private(set) var uses: [ImportedTrace.Use] = []
  /// The number of lines of a list that are not blank or comments.
  package internal(set) var entryCount = 0
  /// The entries that match no function of the image, in the order of the source.
  package internal(set) var missing: [Missing] = []
  /// The number of entries that the image doesn't know at all.
  package var unknownCount: Int { missing.count { !$0.isNamedByImage } }
  private var seen: Set<StatedAddress> = []

  /// A line of a list that matches no function.
  package struct Missing: Hashable, Sendable {
    package var line: Int
    /// The text of the line.
    package var text: SymbolName
    package var reason: String
    /// Whether the image has the name, but not for a function.
    package var isNamedByImage = false
  }

  init(_ image: Image) { self.image = image }

  /// Adds the use of a function, unless it was used before.
  ///
  /// - Parameter function: index into the layout's functions.
  mutating func add(_ function: Int, nanoseconds: UInt64? = nil, thread: UInt32? = nil) {
    let address = image.layout.functions[function].address
    guard seen.insert(address).inserted else { return }
    uses.append(ImportedTrace.Use(entry: address, nanoseconds: nanoseconds, thread: thread))
  }

  /// Adds the use of the function that contains `address`.
  ///
  /// - Returns: whether there is such a function.
  mutating func add(
    functionHolding address: StatedAddress, nanoseconds: UInt64? = nil, thread: UInt32? = nil
  ) -> Bool {
    let aliases = image.layout.functions(containing: address)
    guard let function = aliases.first else { return false }
    add(function, nanoseconds: nanoseconds, thread: thread)
    return true
  }

  /// A sealed trace, which can be read without the image.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions of the image.
  package func traceBytes() throws(ParseError) -> [UInt8] {
    let code = image.layout.sections.filter(\.isExecutable).map(\.range)
    let start = code.map(\.start).min() ?? StatedAddress(rawValue: 0)
    let end = code.map(\.end).max() ?? start
    var trace = ImportedTrace(
      machine: image.architecture.elfMachine ?? 0,
      image: TraceImageRecord(
        slide: Slide(rawValue: 0), textStart: LoadedAddress(rawValue: start.rawValue),
        textSize: end - start,
        id: image.id.map { .init(kind: UInt32($0.kind.rawValue), bytes: $0.bytes) },
        path: Array(image.path.utf8)))
    trace.processNumber = processNumber
    trace.uses = uses
    for use in uses {
      let aliases = image.layout.functions[image.layout.functions(at: use.entry)]
      let size = aliases.compactMap(\.size).max()
      trace.names += aliases.map {
        TraceName(
          image: ImportedTrace.imageNumber, address: use.entry, size: size,
          name: image.layout.name(of: $0).bytes)
      }
    }
    return try trace.bytes()
  }
}

extension Architecture {
  /// ELF's `e_machine` for the instruction set; `nil` for an instruction set that traces don't support.
  fileprivate var elfMachine: UInt32? {
    switch description {
    case "x86_64": 62
    case "arm64", "arm64e": 183
    default: nil
    }
  }
}
