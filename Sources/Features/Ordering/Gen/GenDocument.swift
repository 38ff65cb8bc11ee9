import CommandSupport
import FunctionOrder
import ImageModel
import JSON
import PagesFormat
import Rendering

/// The result of `orderfile gen`, by image.
package struct GenDocument: Hashable, Sendable {
  package var images: [OrderedImage]
  /// The hits in images that are not among `images`.
  package var unused: [UnusedHits]
  /// The order file that was written because a trace is missing; `nil` if orders were generated.
  package var fallback: Fallback?

  /// An order file that was used as it is.
  package struct Fallback: Hashable, Sendable {
    package var path: String
    /// The path of the copy that was written.
    package var outputPath: String
    package var entries: Int
    /// The reason for the fallback: which trace is missing.
    package var reason: String

    package init(path: String, outputPath: String, entries: Int, reason: String) {
      self.path = path
      self.outputPath = outputPath
      self.entries = entries
      self.reason = reason
    }

    /// The note about the fallback.
    package var text: String {
      "used the fallback \(printable(path)), \(counted(entries, "entry", "entries")): "
        + printable(outputPath) + "\nno new order: " + printable(reason)
    }
  }

  package init(images: [OrderedImage], unused: [UnusedHits] = []) {
    self.images = images
    self.unused = unused
  }
}

/// The order file of one image, and what it leaves out.
package struct OrderedImage: Hashable, Sendable {
  package var file: File
  package var recording: Recording
  /// The file in which names were looked up; `nil` if the recorded names were used unchanged.
  package var layout: ImageReference?
  package var functions: Functions
  /// How the ordered functions are split; `nil` if they stay whole.
  package var split: SplitSummary?
  /// The data that launches touched; `nil` if these are unknown.
  package var data: OrderedData?
  /// The code that the image prefetches when it starts; `nil` if no source file for prefetching was written.
  package var prefetch: PrefetchSummary?
  /// The copies of objects with renamed sections; `nil` if no sections were renamed.
  package var renaming: RenamingSummary?

  package init(
    _ file: File, recording: Recording, layout: ImageReference?, functions: Functions
  ) {
    self.file = file
    self.recording = recording
    self.layout = layout
    self.functions = functions
  }

  /// An order file that was written.
  package struct File: Hashable, Sendable {
    /// The path of the file; `-` for stdout.
    package var path: String
    /// The name of the linker that the file is written for.
    package var linker: String
    package var linkerSource: LinkerSource
    /// The option of a compiler driver that passes an order file to the linker: the path follows the option. `nil` if
    /// the linker has no such option. Not in JSON.
    package var linkOption: String?
    /// How the functions of the launches are placed, as `OrderStrategy` calls it.
    package var strategy: String
    /// The number of lines that name a function; each alias has its own line.
    package var entries: Int
    /// How the entries of the previous order file compare with the new entries; `nil` if none was given.
    package var previous: Previous?

    package init(
      path: String, linker: String, linkerSource: LinkerSource = .assumed,
      strategy: String = "first-hit", entries: Int
    ) {
      self.path = path
      self.linker = linker
      self.linkerSource = linkerSource
      self.strategy = strategy
      self.entries = entries
    }

    /// The linker, if it was assumed although there are other linkers for images of the format. For ELF only lld takes
    /// plain names, so that users notice a wrong linker.
    package var assumedLinker: String? {
      linkerSource == .assumed && linker != "lld" ? linker : nil
    }
  }

  /// What the traces recorded about the image.
  package struct Recording: Hashable, Sendable {
    /// The path of the image, as the traces state it.
    package var image: String
    package var traces: [String]
    /// The number of launches that used the image.
    package var launches: Int
    /// The number of distinct bodies that the launches used.
    package var functions: Int
    /// The number of hits in code without a name.
    package var unnamedHits: Int
    package var lostRecords: UInt64
    /// How much of the recorded image's code could be recorded; `nil` if this is unknown.
    package var recordable: RecordableCode?
    /// The recorded builds of the image, if there are several.
    package var builds: [Build] = []

    package init(
      image: String, traces: [String], launches: Int = 1, functions: Int, unnamedHits: Int = 0,
      lostRecords: UInt64 = 0
    ) {
      self.image = image
      self.traces = traces
      self.launches = launches
      self.functions = functions
      self.unnamedHits = unnamedHits
      self.lostRecords = lostRecords
    }
  }

  /// The functions in the order file, and the functions that it leaves out.
  package struct Functions: Hashable, Sendable {
    /// The number of recorded functions that are in the layout.
    package var resolved: Int
    /// The number of initializers that no trace recorded.
    package var untracedInitializers: Int
    /// The size of the ordered functions, in bytes.
    package var startupBytes: UInt64
    /// The size of all code sections, in bytes.
    package var textBytes: UInt64
    /// Recorded functions that no line names.
    package var missing: [NameWithReason]
    /// The number of functions that are left out because fewer launches used them than the user requires.
    package var rare = 0
    /// How launches used each function that the layout has, in the order of first uses.
    package var uses: [Use] = []

    package init(
      resolved: Int, untracedInitializers: Int = 0, startupBytes: UInt64, textBytes: UInt64,
      missing: [NameWithReason] = []
    ) {
      self.resolved = resolved
      self.untracedInitializers = untracedInitializers
      self.startupBytes = startupBytes
      self.textBytes = textBytes
      self.missing = missing
    }

    /// The reasons of `missing` with their counts, most frequent first.
    package var missingByReason: [(reason: String, count: Int)] { missing.byReason }
  }

  /// An order file compared with the previous order file, by lines that name a function.
  package struct Previous: Hashable, Sendable {
    package var path: String
    /// The largest number of lines that both files have in the same order.
    package var kept: Int
    /// The number of other lines that both files have.
    package var moved: Int
    /// The number of lines that only the new order file has.
    package var new: Int
    /// The number of lines that only the previous file has, each once.
    package var leftOut: Int
    /// What is predicted for code with this order and with a new order.
    package var prediction: KeptPrediction?
    /// The number of pages that a launch may lose, on average; `nil` if the usual tolerance was taken.
    package var lostPages: Int?

    package init(path: String, kept: Int, moved: Int, new: Int, leftOut: Int) {
      self.path = path
      self.kept = kept
      self.moved = moved
      self.new = new
      self.leftOut = leftOut
    }
  }

  /// How launches used a function.
  package struct Use: Hashable, Sendable {
    package var name: SymbolName
    /// The number of launches of the image that used the function.
    package var launches: UInt64
    /// The number of functions of the image that were used before this function: the median over the launches that used
    /// it.
    package var medianPosition: Int
    /// The time from the start of the process to the first use, in the launch with the earliest use; `nil` if no launch has
    /// times.
    package var firstNanoseconds: UInt64?

    package init(
      name: SymbolName, launches: UInt64, medianPosition: Int, firstNanoseconds: UInt64?
    ) {
      self.name = name
      self.launches = launches
      self.medianPosition = medianPosition
      self.firstNanoseconds = firstNanoseconds
    }
  }

  /// A build that was launched.
  package struct Build: Hashable, Sendable {
    package var path: String
    package var imageID: String?
    /// The number of launches that used the build.
    package var launches: UInt64
    /// The number of bodies that these launches used, and the number of these bodies that the layout has.
    package var recordedFunctions: Int
    package var resolvedFunctions: Int

    package init(
      path: String, imageID: String?, launches: UInt64, recordedFunctions: Int,
      resolvedFunctions: Int
    ) {
      self.path = path
      self.imageID = imageID
      self.launches = launches
      self.recordedFunctions = recordedFunctions
      self.resolvedFunctions = resolvedFunctions
    }
  }

  /// How `gen` knows the linker.
  package enum LinkerSource: String, CaseIterable, Sendable {
    case option
    /// The image to order states its linker.
    case image
    /// Nothing states the linker: it is the usual linker for the format.
    case assumed
  }
}

extension [NameWithReason] {
  /// The reasons for which functions are missing, with their counts, most frequent first.
  package var byReason: [(reason: String, count: Int)] {
    var counts: [String: Int] = [:]
    for name in self { counts[name.reason, default: 0] += 1 }
    return counts.map { (reason: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
  }
}

extension GenDocument: JSONDocument {
  package static let schema = "orderfile.gen/2"

  package func writeMembers(to json: inout JSONWriter) {
    json.optional("fallback", fallback)
    json.member("images", images)
    json.member("schema", Self.schema)
    json.member("unused", unused)
  }
}

extension GenDocument.Fallback: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("entries", entries)
    json.member("outputPath", outputPath)
    json.member("path", path)
    json.member("reason", reason)
  }
}

extension OrderedImage: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", layout?.architecture)
    json.optional("id", layout?.id)
    json.optional("layoutPath", layout?.path)
    json.optional("data", data)
    json.optional("prefetch", prefetch)
    json.optional("renaming", renaming)
    json.optional("split", split)

    json.member("entries", file.entries)
    json.member("linker", file.linker)
    json.member("linkerSource", file.linkerSource.rawValue)
    json.member("outputPath", file.path)
    json.optional("previous", file.previous)
    json.member("strategy", file.strategy)

    json.member("builds", recording.builds)
    json.member("launches", recording.launches)
    json.member("lostRecords", recording.lostRecords)
    json.optional("recordable", recording.recordable)
    json.member("recordedFunctions", recording.functions)
    json.member("recordedImage", recording.image)
    json.member("traces", recording.traces)
    json.member("unnamedHits", recording.unnamedHits)

    json.member("missing", functions.missing)
    json.member("rareFunctions", functions.rare)
    json.member("resolvedFunctions", functions.resolved)
    json.member("startupBytes", functions.startupBytes)
    json.member("textBytes", functions.textBytes)
    json.member("untracedInitializers", functions.untracedInitializers)
    json.member("uses", functions.uses)
  }
}

extension OrderedImage.Use: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("firstNanoseconds", firstNanoseconds)
    json.member("launches", launches)
    json.member("medianPosition", medianPosition)
    json.member("name", name)
  }
}

extension OrderedImage.Previous: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("kept", kept)
    json.member("leftOut", leftOut)
    json.optional("lostPages", lostPages)
    json.member("moved", moved)
    json.member("new", new)
    json.member("path", path)
    json.optional("predicted", prediction)
  }
}

extension KeptPrediction: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("faults", faults)
    json.member("launches", launches)
    json.member("pages", pages)
  }
}

extension KeptPrediction.Sums: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("kept", kept)
    json.member("new", new)
  }
}

extension OrderedImage.Build: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("imageID", imageID)
    json.member("launches", launches)
    json.member("path", path)
    json.member("recordedFunctions", recordedFunctions)
    json.member("resolvedFunctions", resolvedFunctions)
  }
}
