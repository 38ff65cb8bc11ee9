import ByteReading
import CommandSupport
import ImageModel
import LibC
import OrderFileFormat

/// The files with which an image is built in the order of a launch: an order file, a profile if functions are split, and
/// the source file and the object with which the image prefetches.
struct OrderedBuildFiles: Hashable {
  /// The folder with the files.
  let folder: String
  /// The file name of the image.
  let name: String
  let dialect: OrderFileDialect
  var isSplit = false
  var prefetches = false

  var order: String { Self.path("\(name).order", in: folder) }
  var profile: String { Self.path("\(name).clusters", in: folder) }
  var source: String { Self.path("\(name)-prefetch.c", in: folder) }
  var object: String { Self.path("\(name)-prefetch.o", in: folder) }

  /// The compiler option that adds a map of basic blocks. A recording of such a build has the blocks by which functions
  /// are split.
  static let mapOption = "-fbasic-block-address-map"
  static let sectionsOption = "-ffunction-sections"
  /// The linker option without which a split image is not recognized as a build of the recorded image.
  static let idOption = "-Wl,--build-id"

  /// Returns the options that build the image with these files.
  ///
  /// - Parameter folder: the folder with the files; empty to give only the names of the files.
  func words(in folder: String) -> BuildWords {
    var files = OrderedBuildFiles(folder: folder, name: name, dialect: dialect)
    files.isSplit = isSplit
    let arguments = (dialect.linkerArguments(orderFile: Array(files.order.utf8)) ?? [])
      .map { String(decoding: $0, as: UTF8.self) }
    return BuildWords(
      compiling: [Self.sectionsOption]
        + (isSplit ? [Self.mapOption, "-fbasic-block-sections=list=\(files.profile)"] : []),
      linking: [
        "-Wl," + (arguments + [dialect.quietArgument].compactMap { $0 }).joined(separator: ",")
      ]
        + (isSplit ? [Self.idOption] : []) + (prefetches ? [files.object] : []))
  }

  /// Copies the files to another folder.
  func copy(to folder: String) throws(Diagnostic) {
    let copies = OrderedBuildFiles(folder: folder, name: name, dialect: dialect)
    try OutputFile(copies.order).finish(copyOf: order)
    if isSplit { try OutputFile(copies.profile).finish(copyOf: profile) }
    if prefetches { try OutputFile(copies.source).finish(copyOf: source) }
  }

  private static func path(_ name: String, in folder: String) -> String {
    folder.isEmpty ? name : "\(folder)/\(name)"
  }

  static func == (a: Self, b: Self) -> Bool {
    a.order == b.order && a.isSplit == b.isSplit && a.prefetches == b.prefetches
  }
  func hash(into hasher: inout Hasher) { hasher.combine(order) }
}
