import ByteReading
import CommandSupport
import ImageModel
import ObjectFormat
import PagesFormat
import ProcessLaunch
import Rendering
import Symbolication

/// Links an image with options, and counts the pages that its launches touch.
struct LinkTrials {
  private let linked: RelinkedImage
  private let launch: RelinkedLaunch
  private let identity: ProgramIdentity
  private let bytesBefore: FileBytes

  private struct Trial {
    var pages: AdviceDocument.Pages
    var end: ProgramLaunch.End
    var id: String?
    var bytes: [UInt8]
  }

  /// - Parameter before: the image before the first link with an option.
  /// - Throws: if the image can't be read.
  init(
    _ linked: RelinkedImage, _ launch: RelinkedLaunch, before: ELFFile
  ) throws(Diagnostic) {
    self.linked = linked
    self.launch = launch
    // Each link replaces the image's file; this mapping keeps the file's present bytes.
    bytesBefore = before.bytes
    identity = try Self.identity(bytesBefore, linked.path)
  }

  /// Links and launches with each option alone, and then with the best options together.
  ///
  /// - Throws: if the command fails without options, or makes another program.
  func run(
    tries options: [LinkOption], in document: inout AdviceDocument,
    _ progress: (AdviceDocument.Option) -> Void
  ) throws {
    let present = try trial([], end: nil)
    let again = try launch.count(present.end).image
    if !present.bytes.elementsEqual(bytesBefore.copy(0..<bytesBefore.count)) {
      document.warnings.append(
        Diagnostic(
          "the command of --relink made another build than the given image: pages are compared with the build that it made",
          context: [linked.path]))
    }
    document.image.id = present.id
    document.present = present.pages
    document.variation = abs(AdviceDocument.Pages(again).sum - present.pages.sum)
    if document.variation ?? 0 > 0 {
      document.warnings.append(
        Diagnostic(
          "two launches of one image differ by \(counted(document.variation ?? 0, "page")): "
            + "smaller savings are noise", context: [launch.program.command[0]]))
    }

    var advised: [AdviceDocument.Option] = []
    for option in options {
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      let result = option.advised(try outcome([option], present))
      advised.append(result)
      progress(result)
    }
    if !advised.isEmpty, advised.allSatisfy({ $0.outcome == .unchanged }) {
      document.warnings.append(
        Diagnostic(
          "the command makes the same image with each option", context: ["--relink"],
          hint:
            "let the command pass $ORDERFILE_LDFLAGS to the compiler or linker that links the image"
        ))
    }
    document.options = Self.bestFirst(advised, document)
    document.together = try together(document, options, present)
  }

  private static func bestFirst(
    _ options: [AdviceDocument.Option], _ document: AdviceDocument
  ) -> [AdviceDocument.Option] {
    options.enumerated().sorted { a, b in
      func key(_ item: (offset: Int, element: AdviceDocument.Option)) -> (Int, Int, Int) {
        let saved = document.saved(by: item.element)
        return (item.element.givesUp == nil ? 0 : 1, saved.map { -$0 } ?? .max, item.offset)
      }
      return key(a) < key(b)
    }.map(\.element)
  }

  /// Adds one option after the other to the link, and keeps each option with which the sum of pages falls.
  private func together(
    _ document: AdviceDocument, _ options: [LinkOption], _ present: Trial
  ) throws -> AdviceDocument.Together? {
    var kept: [LinkOption] = []
    var best = present.pages
    let helpful = document.options.filter {
      $0.givesUp == nil && document.saved(by: $0) ?? 0 > 0
    }
    for name in helpful.map(\.name) {
      guard let option = options.first(where: { $0.name == name }) else { continue }
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      guard case .measured(let pages) = try outcome(kept + [option], present) else { continue }
      if pages.data.total[0] < best.data.total[0], pages.sum < best.sum {
        kept.append(option)
        best = pages
      }
    }
    guard !kept.isEmpty else { return nil }
    return AdviceDocument.Together(
      names: kept.map(\.name), linking: kept.flatMap(\.linking),
      compiling: kept.flatMap(\.compiling), pages: best)
  }

  /// - Throws: only an error that makes further trials pointless, such as that the command made another program.
  private func outcome(
    _ options: [LinkOption], _ present: Trial
  ) throws -> AdviceDocument.Outcome {
    do {
      let trial = try trial(options, end: present.end)
      return trial.bytes == present.bytes ? .unchanged : .measured(trial.pages)
    } catch let error as Diagnostic where error.severity != .mismatch {
      return .failed(error.message)
    }
  }

  private func trial(_ options: [LinkOption], end: ProgramLaunch.End?) throws -> Trial {
    func words(_ words: [String]) -> String {
      var seen: Set<String> = []
      return words.filter { seen.insert($0).inserted }.joined(separator: " ")
    }
    try linked.link(with: [
      (name: "ORDERFILE_LDFLAGS", value: words(options.flatMap(\.linking))),
      (name: "ORDERFILE_CFLAGS", value: words(options.flatMap(\.compiling))),
    ])
    let bytes = try InputFile.bytes(linked.path)
    guard try Self.identity(bytes, linked.path).isLike(identity) else {
      throw Diagnostic(
        "the command made another program: most functions of the given image are not in it",
        context: ["--relink"],
        severity: .mismatch)
    }
    let (image, counted) = try launch.count(end)
    return Trial(
      pages: AdviceDocument.Pages(image), end: counted.end, id: image.id,
      bytes: bytes.copy(0..<bytes.count))
  }

  private static func identity(
    _ bytes: FileBytes, _ path: String
  ) throws(Diagnostic) -> ProgramIdentity {
    ProgramIdentity(try Image.reading(bytes, path: path).image)
  }
}
