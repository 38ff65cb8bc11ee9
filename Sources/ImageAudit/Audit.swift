// What a launch costs before the program's own code runs, as the files show it: `orderfile audit`.
//
// An image asks for libraries, these ask for others: the closure is what the loader opens and maps. In each image it
// then writes addresses (relocations, rebases and binds), for which the pages are copied, and calls functions
// (initializers). The Objective-C runtime registers classes and selectors, and calls +load methods. All of that is in
// the files; nothing is launched. Traces add what they know: which libraries were loaded, when an initializer ran, and
// of which libraries no function ran.

import Addresses
import ByteReading
import ImageModel
import LinkMapFormat
import ObjectFormat
import Reporting
import Symbolication
import Workflows

package struct Audit {
  package struct Options {
    /// The slice of a universal file.
    package var architecture: Architecture?
    package var pageSize = PageSizeChoice.automatic
    /// The folder that stands for `/` when libraries are looked up; empty for this machine.
    package var root = ""
    package var linkMap: String?
    /// The list of allowed libraries.
    package var allow: String?

    package init() {}
  }

  private let path: String
  private let options: Options

  /// - Parameter path: of an image, or of an app bundle.
  package init(_ path: String, _ options: Options = Options()) {
    self.path = path
    self.options = options
  }

  /// Reads the image and all its libraries.
  ///
  /// - Throws: if the image can't be read. What is wrong with a library is in the document.
  package func examine() throws(Diagnostic) -> AuditDocument {
    let bytes = try InputFile.bytes(path)
    let (image, warnings) = try Image.reading(
      bytes, path: path, slice: SliceChoice(options.architecture))
    let format = image.layout.imageFormat
    var document = AuditDocument(
      path: path, format: format, architecture: image.architecture, id: image.id,
      pageSize: options.pageSize.pageSize(for: image.architecture, format: format))
    document.warnings = warnings.filter { !$0.isAboutMissingSymbolTable }
    let closure = try closure(of: image, bytes)
    document.warnings += closure.warnings
    document.libraries = closure.nodes.dropFirst().map(\.library)
    for node in closure.nodes.indices {
      guard let examined = closure.nodes[node].image else { continue }
      try examine(examined, as: node == 0 ? image : nil, &document)
    }
    document.findings = ImageFacts(image, in: bytes).findings
    if let allow = options.allow {
      let list = try AllowList(path: allow)
      document.notAllowed = document.libraries.filter { !list.allows($0) }.map(\.name)
      document.warnings += list.unused(by: document.libraries)
    }
    return document
  }

  private func closure(of image: Image, _ bytes: FileBytes) throws(Diagnostic) -> LibraryClosure {
    let name = SymbolName(path.split(separator: "/").last.map(String.init) ?? path)
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else {
      throw Diagnostic("unsupported file: expected an ELF image", context: [path])
    }
    var examined = ExaminedImage(file, path: path, name: name)
    examined.folder = ExaminedImage.folder(of: try Folder.absolutePath(path))
    let search = ELFLibrarySearch(
      for: file.header, root: options.root, cache: libraryCache(&examined))
    return LibraryClosure(of: examined, searching: search, namesAreShared: true)
  }

  /// The loader's cache; empty if there is none, as on systems without glibc.
  private func libraryCache(_ image: inout ExaminedImage) -> ELFLibraryCache {
    let path = "\(options.root)/etc/ld.so.cache"
    guard let bytes = try? FileBytes(regularFileAt: path) else { return ELFLibraryCache() }
    do throws(ParseError) { return try ELFLibraryCache(parsing: bytes) } catch {
      image.problems.append(Diagnostic("left out: \(error)", context: [path]))
      return ELFLibraryCache()
    }
  }

  /// Adds what the loader does with one image.
  ///
  /// - Parameter read: the image, if it was read.
  private func examine(
    _ examined: ExaminedImage, as read: Image?, _ document: inout AuditDocument
  ) throws(Diagnostic) {
    var audited = AuditedImage(
      name: examined.name, path: examined.path, fileBytes: examined.fileBytes)
    let work: LoaderWork
    switch examined.file {
    case .elf(let file):
      work = LoaderWork(of: file, path: examined.path, pageSize: document.pageSize)
    case .machO: work = LoaderWork()
    }
    audited.relocations = work.relocations
    document.images.append(audited)
    document.warnings += work.problems
    guard !work.initializers.isEmpty else { return }
    let image: Image
    do throws(Diagnostic) {
      if let read {
        image = read
      } else {
        let slice = SliceChoice(document.architecture)
        image = try Image.reading(examined.bytes, path: examined.path, slice: slice).image
      }
    } catch {
      document.warnings.append(error)
      document.initializers += work.initializers.map {
        AuditedInitializer(image: examined.name, kind: $0.kind, address: $0.address)
      }
      return
    }
    var contributions: LinkMapContributions?
    if let linkMap = options.linkMap, read != nil {
      let bytes = try InputFile.bytes(linkMap)
      do throws(ParseError) {
        contributions = LinkMapContributions(try LinkMap(parsing: bytes))
      } catch {
        throw Diagnostic("\(error)", context: [linkMap])
      }
    }
    let origins = FunctionOrigins(
      image.layout, examined.bytes, readsDebugInformation: read != nil)
    var frames: [AddressRange] = []
    if case .elf(let file) = examined.file { frames = (try? file.frameRanges()) ?? [] }
    let describing = NamedInitializers(
      image.layout, origins, contributions, frames: frames, document.pageSize)
    document.initializers += describing.auditedInitializers(of: work, in: examined.name)
  }
}
