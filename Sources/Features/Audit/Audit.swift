// What a launch costs before the program's own code runs, as the files show it: `orderfile audit`.
//
// An image asks for libraries, these ask for others: the closure is what the loader opens and maps. In each image it
// then writes addresses (relocations, rebases and binds), for which the pages are copied, and calls functions
// (initializers). The Objective-C runtime registers classes and selectors, and calls +load methods. The files show all
// of this work; nothing is launched. Traces add which libraries were loaded, when an initializer ran, and from which
// libraries no function ran.

import ByteReading
import CommandSupport
import ImageModel
import LinkMapFormat
import ObjectFormat
import Symbolication

package struct Audit {
  package struct Options {
    /// The architecture of the slice to read from a universal file.
    package var architecture: Architecture?
    package var pageSize = PageSizeChoice.automatic
    /// The folder that replaces `/` when libraries are looked up; `nil` for this machine.
    package var root: String?
    package var linkMap: String?
    package var traces: [String] = []
    /// A document of `orderfile stages`, whose times of initializers take precedence over the times in traces.
    package var stages: String?
    /// Whether selectors and classes that something may use are listed, too.
    package var includesPossible = false

    package init() {}
  }

  private let path: String
  private let options: Options

  /// - Parameter path: the path of an image, an app, an app extension or a framework.
  package init(_ path: String, _ options: Options = Options()) {
    self.path = path
    self.options = options
  }

  /// Reads the image and all its libraries.
  ///
  /// - Throws: if the image, a trace or the link map can't be read. The document has the errors in libraries.
  package func examine() throws(Diagnostic) -> AuditDocument {
    let bundle = Folder.isFolder(path) ? try Bundle(at: path) : nil
    let program = bundle?.image ?? path
    let bytes = try InputFile.bytes(program)
    let (image, warnings) = try Image.reading(
      bytes, path: program, slice: SliceChoice(options.architecture))
    let format = image.layout.imageFormat
    var document = AuditDocument(
      path: path, format: format, architecture: image.architecture, id: image.id,
      pageSize: options.pageSize.pageSize(for: image.architecture, format: format))
    document.warnings = warnings.filter { $0.kind != .missingSymbolTable }
    document.findings = ImageFacts(image, in: bytes).findings
    let closure = try closure(of: image, bytes)
    document.warnings += closure.warnings

    var examination = Examination(document, image, try contributions())
    for (place, node) in closure.nodes.enumerated() {
      examination.add(node, isGiven: place == 0)
    }
    examination.document.libraries += unlinked(of: bundle, besides: closure)
    examination.findUnlinkedTasks(linkMap: options.linkMap)
    examination.findUnused(includingPossible: options.includesPossible)
    if !options.traces.isEmpty { try examination.observe(options.traces) }
    if let stages = options.stages { try examination.addTimes(ofStages: stages) }
    return examination.document
  }

  private func contributions() throws(Diagnostic) -> LinkMapContributions? {
    guard let path = options.linkMap else { return nil }
    let bytes = try InputFile.bytes(path)
    do throws(ParseError) { return LinkMapContributions(try LinkMap(parsing: bytes)) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  private func closure(of image: Image, _ bytes: FileBytes) throws(Diagnostic) -> LibraryClosure {
    let path = image.path
    let name = SymbolName(path.split(separator: "/").last.map(String.init) ?? path)
    let root = try SystemRoot(options.root)
    let folder = ExaminedImage.folder(of: try Folder.absolutePath(path))
    switch try? MappedImage(in: bytes, of: image.architecture) {
    case .elf(let file):
      var examined = ExaminedImage(file, path: path, name: name)
      examined.folder = folder
      let search = ELFLibrarySearch(
        for: file, root: root, cache: libraryCache(&examined, below: root))
      return LibraryClosure(of: examined, searching: search, namesAreShared: true)
    case .machO(let file):
      var examined = ExaminedImage(file, path: path, name: name)
      examined.folder = folder
      let search = MachOLibrarySearch(for: image.architecture, root: root)
      return LibraryClosure(of: examined, searching: search, namesAreShared: false)
    case nil: throw Diagnostic("unsupported file: expected a linked image", context: [path])
    }
  }

  /// The libraries of a bundle that no image asks for.
  private func unlinked(of bundle: Bundle?, besides closure: LibraryClosure) -> [AuditedLibrary] {
    guard let bundle else { return [] }
    let linked = Set(
      closure.nodes.compactMap { $0.library.path }.compactMap { try? Folder.absolutePath($0) })
    return bundle.libraries.filter { path in
      guard let real = try? Folder.absolutePath(path) else { return false }
      return !linked.contains(real)
    }.map { path in
      var library = AuditedLibrary(
        name: SymbolName(path), path: path, isDirect: false, isEmbedded: true)
      library.unrequested = .unlinked
      return library
    }
  }

  /// The loader's cache; empty if there is none, as on systems without glibc.
  private func libraryCache(
    _ image: inout ExaminedImage, below root: SystemRoot
  ) -> ELFLibraryCache {
    guard let path = root.realPath("\(root.path)/etc/ld.so.cache"),
      let bytes = try? FileBytes(regularFileAt: path)
    else { return ELFLibraryCache() }
    do throws(ParseError) { return try ELFLibraryCache(parsing: bytes) } catch {
      image.problems.append(Diagnostic("left out: \(error)", context: [path]))
      return ELFLibraryCache()
    }
  }
}
