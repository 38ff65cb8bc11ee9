// Which changes to its build would make an image start with fewer pages: `orderfile advise`
//
// A launch touches the code that it runs, tables that the loader reads, and variables that the loader relocates. How
// many pages these take depends on the order of the functions, and on options of the linker and of the compiler; and
// different programs gain by different changes. So `advise` tries each change before it advises it: it builds the image
// with one change after the other, launches it, and counts its pages. Without a command that links, `advise` only
// states what follows from the image's own tables, and calls it predicted.
//
// Savings do not add up: two changes may remove the same page, or one change may undo what the other has gained. So the
// changes that save pages and give up nothing are also tried together, the best first, and a change is kept only if the
// number of pages falls with it. The result is therefore never worse than the present build, if launches of one image
// touch the same pages. How much two launches differ is measured, too.
//
// Prefetching saves no page. It is kept if cold launches from a device have fewer major faults or make fewer requests,
// and not more of either.

import ByteReading
import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import ObjectFormat
import OrderFileFormat
import PagesFormat
import ProcessLaunch
import Symbolication

/// A run of `orderfile advise`: the image, its launch, and the command that links it.
package struct Advice {
  /// The path of a linked image.
  package var path: String
  /// The path of a document of `orderfile pages`; `nil` to count now.
  package var pages: String?
  /// The command that links the image, for `sh -c`; `nil` to predict only.
  package var relink: String?
  /// The words of the command to launch; `nil` for the command in the document.
  package var command: [String]?
  package var conditions = LaunchConditions()
  /// What is measured besides pages.
  package var measurement = AdviceMeasurement()
  /// The dialect of the linker; `nil` for the linker that the image states, or else GNU ld.
  package var linker: OrderFileDialect?
  /// The path of a folder for the files with which the best changes are built; `nil` to write none.
  package var output: String?
  package var environment: LaunchEnvironment

  package init(_ path: String, in environment: LaunchEnvironment) {
    self.path = path
    self.environment = environment
  }

  /// Links and launches the image, and restores it. After this call, an interrupt ends the launched programs and not
  /// this process.
  ///
  /// - Parameter progress: called with each change that was tried.
  /// - Throws: if the pages of the image can't be counted, if the document is of another build, or if the command fails
  ///   without changes.
  package func run(
    _ progress: (AdviceDocument.Change) -> Void
  ) throws -> AdviceDocument {
    let path = try Folder.absolutePath(path)
    let file = try elfFile(path)
    let given = try pages.map { try measured($0, at: path) }
    guard let command = command ?? given?.command else {
      throw Diagnostic(
        "missing the launch whose pages are counted", context: [path],
        hint: "give --pages FILE, or the command after '--'")
    }
    let program = conditions.launch(of: command)
    let folder = try TemporaryFolder(in: environment)
    Interruption.catchSignals()
    let input = try conditions.keptInput(in: environment)
    defer { withExtendedLifetime(input) {} }
    let launch = RelinkedLaunch(
      program: program, inputPath: input.path, path: path, folder: folder,
      environment: environment)
    let first = try given?.image ?? launch.count(nil).image
    var document = AdviceDocument(
      ImageReference(path: self.path, architecture: first.image.architecture, id: first.id),
      command: command, present: .init(first, fileBytes: UInt64(file.bytes.count)))
    guard let relink else {
      document.changes = try predictions(file, first)
      return document
    }
    var measurement = measurement
    measurement.device = try measurement.device?.reading(ImageStorage(of: path))
    document.measurement = measurement
    document.keepsFiles = output != nil
    if let output { try Folder.make(output) }
    let linked = try RelinkedImage(path: path, command: relink, in: folder)
    defer { linked.restore() }
    let compiles = relink.contains("ORDERFILE_CFLAGS")
    document.usesToolset = relink.contains(SwiftToolset.variable)
    var trials = try BuildTrials(
      linked, LaunchOrders(launch: launch, linker: linker), measurement, compiles: compiles,
      toolsetFolder: document.usesToolset ? folder : nil, before: file)
    try trials.run(
      tries: changes(for: file).filter { compiles || !$0.needsCompiler }, in: &document,
      output: output, progress)
    return document
  }

  private func elfFile(_ path: String) throws(Diagnostic) -> ELFFile {
    let bytes = try InputFile.bytes(path)
    let object: ObjectFile
    do { object = try ObjectFile(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    guard case .elf(let file) = object else {
      throw Diagnostic(
        "unsupported image: expected an ELF image, found one of another format", context: [path],
        hint: "pages are counted on Linux only; 'orderfile audit' lists the pages that dyld writes")
    }
    guard file.header.is64Bit, file.segments.contains(where: { $0.type == .load }) else {
      throw Diagnostic("unsupported image: expected a linked 64-bit ELF image", context: [path])
    }
    return file
  }

  /// Returns the image at `path` from the document of `orderfile pages`, and the command of its launch.
  private func measured(
    _ document: String, at path: String
  ) throws(Diagnostic) -> (image: PagesDocument.Image, command: [String]) {
    let bytes = try InputFile.bytes(document)
    let pages: PagesDocument
    do { pages = try PagesDocument(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [document], hint: "see 'orderfile pages --help'")
    }
    guard !pages.command.isEmpty else {
      throw Diagnostic("missing command: expected the words of the launch", context: [document])
    }
    let id = try Self.id(of: path)
    guard let image = pages.images.first(where: { $0.id == id }) else {
      let namesake = pages.images.first { $0.path == path } ?? pages.images.first
      throw Diagnostic(
        "image ID mismatch: expected \(id) of \(path), found \(namesake?.id ?? "none")",
        context: [document], hint: "measure this build with 'orderfile pages'", severity: .mismatch)
    }
    guard image.loading != nil else {
      throw Diagnostic(
        "missing the pages that the loader touches: this document has only the pages of the program",
        context: [document],
        hint: "count again with 'orderfile pages' where ptrace is permitted")
    }
    return (image, pages.command)
  }

  private static func id(of path: String) throws(Diagnostic) -> String {
    do { return try ImagePages(of: try InputFile.bytes(path)).id.description } catch let error
      as ParseError
    { throw Diagnostic("\(error)", context: [path]) } catch let error as Diagnostic {
      throw error
    } catch { throw Diagnostic("\(error)", context: [path]) }
  }

  /// Returns the changes that can have an effect on the image.
  private func changes(for file: ELFFile) -> [BuildChange] {
    let isProgram = file.segments.contains { $0.type == .interpreter }
    let kind: LinkOption.Kind = isProgram ? .programs : .libraries
    let options = LinkOption.all.filter { $0.kind == .any || $0.kind == kind }
    return [.functionOrder, .split, .prefetch] + options.map { .option($0) }
  }

  private func predictions(
    _ file: ELFFile, _ image: PagesDocument.Image
  ) throws(Diagnostic) -> [AdviceDocument.Change] {
    let savings: PredictedSavings
    do { savings = try PredictedSavings(of: file) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    let isProgram = file.segments.contains { $0.type == .interpreter }
    return LinkOption.all.compactMap { option in
      let saved: Int? =
        switch option.name {
        case LinkOption.packedRelocations: savings.byPacking
        case LinkOption.fixedAddress: isProgram ? savings.atFixedAddress(image) : nil
        default: nil
        }
      return saved.map {
        BuildChange.option(option).advised(
          .predicted(saved: $0),
          BuildWords(compiling: option.compiling, linking: option.linking))
      }
    }
  }
}

extension BuildChange {
  /// - Parameter words: the options that build the image with the change.
  func advised(_ outcome: AdviceDocument.Outcome, _ words: BuildWords) -> AdviceDocument.Change {
    AdviceDocument.Change(
      name: name, linking: words.linking, compiling: words.compiling, effect: effect, needs: needs,
      givesUp: givesUp, outcome: outcome)
  }
}
