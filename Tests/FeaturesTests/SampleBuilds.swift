import Foundation
import ImageModel
import TestSupport

/// A folder with small builds of one program, and with traces of them.
struct SampleBuilds {
  let workshop: Workshop
  /// The size of each function, in bytes.
  static let size: UInt64 = 0x400
  /// 16 functions. A launch uses every fourth of them.
  static let functions = (0..<16).map { "f\($0)" }
  static let used = ["f12", "f0", "f8", "f4"]

  init() throws { workshop = try Workshop() }

  /// Returns a folder with "app.rec", "before" and "after", three builds of one program, and with "other", another
  /// program. "after" has the functions `used` first.
  static func ofOneProgram() throws -> SampleBuilds {
    let builds = try SampleBuilds()
    let rest = functions.filter { !used.contains($0) }
    try builds.writeImage(functions, "app.rec", id: [0x9f, 0x3a])
    try builds.writeImage(functions, "before", id: [0xbe, 0xf0])
    try builds.writeImage(used + rest, "after", id: [0xaf, 0x7e])
    try builds.writeImage(["g0", "g1", "g2"], "other", id: [0x07])
    try builds.writeTrace("app.oftrace", of: "app.rec", used: used)
    return builds
  }

  func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }

  func writeImage(_ functions: [String], _ name: String, id: [UInt8]) throws {
    try workshop.write(sampleImage(functions, size: Self.size, id: id), name)
  }

  func write(_ text: String, _ name: String) throws { try workshop.write(text.utf8, name) }

  func bytes(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(name)).map { Array($0) }
  }

  func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

  /// Writes a trace of a launch that used functions of `functions` in the order of `used`.
  func writeTrace(
    _ name: String, of image: String, functions: [String] = functions, used: [String],
    isSealed: Bool = true, id: [UInt8] = [0x9f, 0x3a]
  ) throws {
    try writeTrace(name, of: [(image, used)], functions: functions, isSealed: isSealed, id: id)
  }

  /// Writes a trace of a launch that used functions of several images; each function has `size` bytes. The last image
  /// is the program, with the given ID. `aliases` are further names of functions, `unnamed` hits of functions without a
  /// name in each image.
  func writeTrace(
    _ name: String, of images: [(name: String, used: [String])],
    functions: [String] = functions, aliases: [String: String] = [:], size: UInt64 = size,
    isSealed: Bool = true, id: [UInt8] = [0x9f, 0x3a],
    unnamed: [(entry: UInt64?, calledFrom: UInt64)] = []
  ) throws {
    var writer = TraceWriter()
    let addresses = Dictionary(
      uniqueKeysWithValues: functions.enumerated().map {
        ($0.element, 0x1000 + Self.size * UInt64($0.offset))
      })
    for (number, (image, used)) in images.enumerated() {
      let place = UInt64(number)
      var image = TraceWriter.Image(
        number: place + 1, path: path(image), slide: 0x10_0000 * (place + 1))
      image.text = 0x1000..<0x8_0000
      image.guards = 0x2000_0000 + 0x1000 * place..<0x2000_0100 + 0x1000 * place
      image.id = number < images.count - 1 ? [UInt8(number), 0x0b] : id
      writer.program = image.path
      writer.addLoad(image)
      for (index, function) in used.enumerated() {
        writer.addHit(image, guard: UInt64(index), entry: addresses[function])
      }
      for (index, hit) in unnamed.enumerated() {
        writer.addHit(
          image, guard: UInt64(used.count + index), entry: hit.entry, calledFrom: hit.calledFrom)
      }
      guard isSealed else { continue }
      writer.names =
        (writer.names ?? [])
        + functions.enumerated().flatMap { index, function in
          ([function] + [aliases[function]].compactMap { $0 }).map { name in
            TraceWriter.Name(
              image: UInt32(number + 1), address: 0x1000 + Self.size * UInt64(index), size: size,
              name: name)
          }
        }
    }
    try workshop.write(writer.bytes(), name)
  }
}

/// Returns the diagnostic that `body` throws; `nil` if it throws no diagnostic.
func diagnostic(_ body: () throws -> Void) -> Diagnostic? {
  do { try body() } catch { return error as? Diagnostic }
  return nil
}
