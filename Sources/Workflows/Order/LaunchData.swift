// What launches touched of the data of one image, from traces and from documents of pages.
//
// A trace of a build that reports loads and stores has each variable. A document of pages names what was touched first on
// each page: of an unmodified program more can't be seen without changing it. `refine` counts again after each link, so
// that pages which are still touched name what was second.

import Addresses
import ImageModel
import PagesFormat
import Reporting
import Symbolication

/// What one launch touched of the data of an image.
struct LaunchData {
  /// Where it was read.
  var path: String
  /// How many launches it counts as.
  var weight: UInt64
  /// The image that was launched; `nil` if it does not tell.
  var imageID: String?
  /// In time order.
  var touches: [Touch]

  struct Touch: Hashable {
    /// In that image.
    var touch: DataTouch
    /// What has a name there, as far as it is known; other builds know the address by these names only.
    var names: [SymbolName]
  }
}

extension LaunchData {
  /// What the program touched of `image`. The loader touches the same whatever the order, as far as it touches pages
  /// that it relocates; and execs clear the end of the last page.
  init(_ image: PagesDocument.Image, path: String, weight: UInt64) {
    self.path = path
    self.weight = weight
    imageID = image.id
    let loading = (image.loading ?? []).filter { $0.accessor == .program }
    let running = image.pages.filter { $0.accessor == .program || $0.accessor == .kernel }
    touches = (loading + running).filter { $0.access != .execute }.compactMap { row in
      guard let address = row.touched else { return nil }
      return Touch(
        touch: DataTouch(step: row.step, bytes: AddressRange(start: address, size: 1)),
        names: row.symbol.map { [$0] } ?? [])
    }
  }

  /// What a trace has of an image.
  ///
  /// - Parameter data: the data of that image, for a trace without names of them.
  init(
    _ uses: [RecordedFunctions.DataUse], path: String, weight: UInt64, imageID: ImageID?,
    data: DataLayout?
  ) {
    self.path = path
    self.weight = weight
    self.imageID = imageID?.description
    touches = uses.map { use in
      let symbols = data?.symbols(in: use.touch.bytes) ?? []
      return Touch(
        touch: use.touch,
        names: data.map { data in symbols.map { data.layout.name(of: $0) } } ?? use.names)
    }
  }
}

extension DataLayout {
  /// One name of each variable that has one of `bytes`.
  fileprivate func symbols(in bytes: AddressRange) -> [Function] {
    places(in: bytes).compactMap { place in
      guard case .symbol(let names) = place, let first = names.first else { return nil }
      return layout.functions[first]
    }
  }
}

/// The documents of pages of a command line.
struct PagesInputs {
  private var documents: [(path: String, weight: UInt64, document: PagesDocument)] = []

  /// - Throws: an error if a file can't be read, or is damaged.
  init(_ files: [LaunchFiles.File]) throws(Diagnostic) {
    for file in files {
      let bytes = try InputFile.bytes(file.path)
      do {
        documents.append((file.path, file.weight, try PagesDocument(parsing: bytes)))
      } catch { throw Diagnostic("\(error)", context: [file.path]) }
    }
  }

  var isEmpty: Bool { documents.isEmpty }

  /// What each launch touched of one program or library.
  ///
  /// - Parameters:
  ///   - ids: of its builds. An image with another ID counts if its file has the name of one of them.
  ///   - paths: of their files.
  ///   - isOptional: whether a document may have no such image.
  /// - Throws: `mismatch` if a document has none.
  func launches(
    ofImages ids: [String], named paths: [String], isOptional: Bool
  ) throws(Diagnostic) -> [LaunchData] {
    let names = paths.map(fileName(ofPath:))
    var launches: [LaunchData] = []
    for (path, weight, document) in documents {
      let found =
        document.images.first { image in image.id.map(ids.contains) ?? false }
        ?? document.images.first { names.contains(fileName(ofPath: $0.path)) }
      guard let found else {
        if isOptional { continue }
        throw Diagnostic(
          "missing image '\(names.first ?? "")' in the pages: found "
            + document.images.map { "'\(fileName(ofPath: $0.path))'" }.joined(separator: ", "),
          context: [path], hint: "count its pages with 'orderfile pages --json --image FILE'",
          severity: .mismatch)
      }
      launches.append(LaunchData(found, path: path, weight: weight))
    }
    return launches
  }
}
