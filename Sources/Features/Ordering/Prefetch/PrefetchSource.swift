import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import OrderFileMatching
import Rendering
import Symbolication

/// A C source file with which an ELF image asks the kernel, when it starts, to read its ordered functions into memory,
/// and the constants and variables that launches touched.
///
/// The file has everything that the image needs: two anchors, between which the order file lists the functions, and the
/// initializer that makes the system calls. So a project adds one source file and no object, and the project's own
/// compiler and options make code that fits the image: for any architecture, position independent or not, with or
/// without link-time optimization. The file needs no C library. The file has no addresses of code, so it is valid for as
/// long as the order file is; the places of data are checked (`PrefetchTable`).
struct PrefetchSource {
  private(set) var summary: PrefetchSummary
  private let header: [String]
  private let data: PrefetchTable
  /// The section that lists the file's initializer.
  private let array: String

  /// - Parameters:
  ///   - release: the build to order.
  ///   - codeBytes: the size of the ordered functions, in bytes.
  ///   - data: the constants and variables to prefetch.
  ///   - header: the lines of the comment at the top.
  /// - Throws: `mismatch` if the build is no ELF image.
  init(
    for release: ReleaseLayout, codeBytes: UInt64, data: PrefetchTable, header: [String],
    outputPath: String
  ) throws(Diagnostic) {
    guard release.layout.imageFormat == .elf else {
      throw Diagnostic(
        "unable to prefetch: expected an ELF image, found \(release.layout.imageFormat.rawValue)",
        context: [release.path], remedies: [Remedy("leave out '--prefetch'", option: "--prefetch")],
        severity: .mismatch)
    }
    summary = PrefetchSummary(outputPath: outputPath, codeBytes: codeBytes)
    summary.dataBytes = data.byteCount
    summary.dataRanges = data.count
    self.data = data
    self.header = header
    array = Self.array(of: release)
  }

  /// Returns the section whose functions run first in the image. Only programs with glibc's loader run
  /// `.preinit_array`: shared libraries can't have this section, and musl ignores it. In a static program, nothing runs
  /// between `.preinit_array` and `.init_array`.
  private static func array(of release: ReleaseLayout) -> String {
    guard let bytes = release.bytes,
      let loader = (try? EmulatedMachine(of: bytes))?.loader,
      !loader.contains("/ld-musl-"),
      release.image?.libraryName == nil
    else { return ".init_array.00000" }
    return ".preinit_array"
  }

  /// Returns the size of the largest region that an image prefetches, in bytes, if the ordered functions have `size`
  /// bytes. A larger region has other functions, too, because the linker did not follow the order file.
  static func mostBytes(ofCode size: UInt64) -> UInt64 { min(size, 1 << 31) * 2 + 1 << 16 }

  var bytes: [UInt8] {
    let title = header.map { printable($0).replacing("*/", with: "* /") }.joined(separator: "\n * ")
    var text = String(decoding: PackageResources.prefetch_c_in, as: UTF8.self)
    for (name, value) in [
      ("@TITLE@", title), ("@ARRAY@", array),
      ("@MOST@", "\(Self.mostBytes(ofCode: summary.codeBytes))"),
      ("@FIRST@", PrefetchAnchor.first), ("@FIRSTTEXT@", PrefetchAnchor.firstText),
      ("@FIRSTSIZE@", "\(PrefetchAnchor.firstText.utf8.count)"), ("@TABLE@", table),
      ("@SEGMENTS@", "\(PrefetchTable.mostSegments)"),
      ("@LAST@", PrefetchAnchor.last),
      ("@INITIALIZER@", PrefetchAnchor.initializer),
    ] { text.replace(name, with: value) }
    return Array(text.utf8)
  }

  /// The words of the table for the assembler, a segment or a range on each line.
  private var table: String {
    data.words.map { words in
      "                 \".long \(words.map { "\($0)" }.joined(separator: ", "))\\n\""
    }.joined(separator: "\n")
  }
}
