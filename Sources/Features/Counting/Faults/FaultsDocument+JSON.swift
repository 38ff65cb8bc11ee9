import Addresses
import ByteReading
import ImageModel
import JSON
import LaunchMeasurement
import PagesFormat
import Rendering

/// This extension writes and reads the members itself, because the end of the launch is in one of two members.
extension FaultsDocument: ReadableDocument {
  package static let schema = "orderfile.faults/1"
  /// The length of the longest path that Linux accepts, in bytes.
  private static let longestPath = 4096

  package func writeMembers(to json: inout JSONWriter) {
    json.member("cache", cache.rawValue)
    json.member("command", command)
    json.optional("device", device)
    if case .exited(let status) = end { json.member("exitStatus", status) }
    json.member("faults", faults)
    json.array("files") { json in
      for file in files {
        json.object { json in
          json.optional("architecture", file.architecture)
          json.optional("id", file.id)
          json.member("path", file.path)
        }
      }
    }
    json.member("leftOut", leftOut)
    json.member("limits", limits)
    json.member("lost", lost)
    json.member("machine", machine)
    json.member("majorFaults", majorFaults)
    json.member("minorFaults", minorFaults)
    json.optional("prefetchedFaults", prefetchedFaults)
    json.member("provenance", Provenance.measured)
    json.optional("readBytes", readBytes)
    json.optional("refusal", refusal)
    json.optional("requests", requests)
    json.member("schema", Self.schema)
    if case .killed(let signal) = end { json.member("signal", signal) }
    json.member("wallNanoseconds", wallNanoseconds)
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    let end: PagesDocument.End
    if let signal: Int = try object.optional("signal") {
      end = .killed(signal: signal)
    } else {
      end = .exited(try object.value("exitStatus"))
    }
    self.init(
      command: try object.value("command"), end: end, cache: try object.value("cache"),
      wallNanoseconds: try object.value("wallNanoseconds"),
      minorFaults: try object.value("minorFaults"), majorFaults: try object.value("majorFaults"),
      files: try object.value("files"), faults: try object.value("faults"),
      machine: try object.value("machine"))
    leftOut = try object.count("leftOut")
    limits = try object.optional("limits") ?? []
    device = try object.optional("device")
    requests = try object.optional("requests")
    readBytes = try object.optional("readBytes")
    prefetchedFaults = try object.has("prefetchedFaults") ? object.count("prefetchedFaults") : nil
    lost = try object.value("lost")
    refusal = try object.optional("refusal")
    // Each fault may name a file: long paths would make the texts much longer than the document.
    if let path = files.lazy.map(\.path).first(where: { $0.utf8.count > Self.longestPath }) {
      throw object.invalid(
        "files", expected: "paths of at most \(Self.longestPath) bytes",
        found: "\(path.utf8.count)")
    }
    let named = faults.lazy.flatMap { [$0.place.file, $0.instruction?.file] }.compactMap { $0 }
    if let stray = named.first(where: { !files.indices.contains($0) }) {
      throw object.invalid(
        "faults", expected: "one of \(files.count) files", found: "file \(stray)")
    }
    for (first, next) in zip(faults, faults.dropFirst()) where first.nanoseconds > next.nanoseconds
    {
      throw object.invalid(
        "faults", expected: "faults by time",
        found: "\(first.nanoseconds) ns before \(next.nanoseconds) ns")
    }
  }
}

extension FaultsDocument.Kind: JSONReadable {}

/// This extension writes and reads the members itself, because a fault in an image has other members than a fault in
/// memory.
extension FaultsDocument.Fault: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    let byte: FaultsDocument.Byte? = if case .image(_, let byte) = place { byte } else { nil }
    if let byte { json.member("address", byte.address) }
    json.optional("file", place.file)
    if case .file(_, let offset) = place { json.member("fileOffset", offset.rawValue) }
    json.optional("function", instruction?.function)
    json.member("handlingNanoseconds", handlingNanoseconds)
    json.member("kind", kind.rawValue)
    if case .memory(let word) = place { json.member("memory", word) }
    json.member("nanoseconds", nanoseconds)
    if let instruction {
      json.member("pc", instruction.address)
      if instruction.file != place.file { json.member("pcFile", instruction.file) }
    }
    json.member("process", process)
    json.optional("section", byte?.section)
    if let byte { json.member("segment", byte.segment.rawValue) }
    json.optional("symbol", byte?.symbol)
    json.member("thread", thread)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      nanoseconds: try object.value("nanoseconds"),
      handlingNanoseconds: try object.value("handlingNanoseconds"),
      kind: try object.value("kind"), process: try object.count("process"),
      thread: try object.count("thread"), place: try Self.place(object))
    guard let address: StatedAddress = try object.optional("pc") else { return }
    let stated: Int? = try object.optional("pcFile")
    guard let file = stated ?? place.file else {
      throw object.invalid("pc", expected: "with the file of the instruction", found: "none")
    }
    instruction = FaultsDocument.Instruction(
      file: file, address: address, function: try object.optional("function"))
  }

  private static func place(_ object: JSONObject) throws(ParseError) -> FaultsDocument.Place {
    if let word: String = try object.optional("memory") { return .memory(word) }
    let file = try object.count("file")
    if let offset = try object.optional("fileOffset").map(FileOffset.init(rawValue:)) {
      return .file(file, offset)
    }
    return .image(
      file: file,
      FaultsDocument.Byte(
        address: try object.value("address"), segment: try object.value("segment"),
        section: try object.optional("section"), symbol: try object.optional("symbol")))
  }
}
