import ByteReading
import CommandSupport
import ImageModel

/// The files about an image that are kept between calls, in a folder beside the image: the traces, the image that the
/// launches ran, the image in the default order, and the order file.
struct CargoResults {
  /// `target/release/.orderfile/app`
  private let folder: String
  private let name: String

  /// The name of the folders with results, in the folders of images.
  static let folderName = ".orderfile"

  init(of image: CargoArtifact) throws(Diagnostic) {
    name = image.name
    let parent = image.path.dropLast(name.count) + Self.folderName
    folder = "\(parent)/\(name)"
    try Folder.make(String(parent))
    for path in [folder, "\(folder)/recorded", "\(folder)/default"] { try Folder.make(path) }
  }

  /// The image that the recorded launches ran.
  var recorded: String { "\(folder)/recorded/\(name)" }
  /// cargo's target folder of the build that records itself.
  var instrumented: String { "\(folder)/instrumented" }
  /// The image in the default order.
  var byDefault: String { "\(folder)/default/\(name)" }
  var order: String { "\(folder)/\(name).order" }

  /// The paths of the traces, the first launch first.
  var traces: [String] {
    Folder.names(in: folder).filter { $0.hasPrefix("launch-") }.map { "\(folder)/\($0)" }
  }

  /// The path for the next trace: its number follows the number of the last trace.
  var nextTrace: String {
    let last = traces.last.map {
      fileName(ofPath: $0).dropFirst("launch-".count).prefix(while: \.isNumber)
    }
    let number = "\((last.flatMap { Int($0) } ?? 0) + 1)"
    return
      "\(folder)/launch-\(String(repeating: "0", count: max(0, 4 - number.count)))\(number).oftrace"
  }

  /// Keeps a copy of the image that is launched next, and removes the traces of other builds.
  ///
  /// - Returns: the number of traces that were removed.
  func keepRecorded(_ image: CargoArtifact) throws(Diagnostic) -> Int {
    if Self.isSame(image.path, recorded) { return 0 }
    let old = traces
    for path in old { Folder.remove(Array(path.utf8)) }
    try OutputFile(recorded).finish(copyOf: image.path)
    return old.count
  }

  private static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = try? FileBytes(path: path), let two = try? FileBytes(path: other),
      one.count == two.count
    else { return false }
    return one.copy(0..<one.count) == two.copy(0..<two.count)
  }

  /// Removes all results below cargo's target folder: `PROFILE/.orderfile`, `TRIPLE/PROFILE/.orderfile`, and the
  /// results of examples.
  ///
  /// - Returns: the folders that were removed.
  static func remove(below target: String, levels: Int = 3) -> [String] {
    var removed: [String] = []
    for name in Folder.names(in: target) {
      let path = "\(target)/\(name)"
      if name == folderName {
        Folder.remove(Array(path.utf8))
        removed.append(path)
      } else if levels > 0, Folder.linkTarget(path) == nil {
        removed += remove(below: path, levels: levels - 1)
      }
    }
    return removed
  }
}
