// The data of one image that launches touched, from profiles and from documents of pages.
//
// The profile of builds that report loads and stores has each variable. A document of pages names only the first
// touched datum of each page, because an unmodified program shows no more. `refine` counts again after each link: pages
// that are still touched then name the next datum.

import Addresses
import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import PagesFormat
import ProfileFormat
import Symbolication
import TraceSymbolication

/// The data of an image that one launch touched.
package struct LaunchData {
  enum Source {
    case pages
    /// The data come from a launch that a profile keeps whole.
    case wholeLaunch
    /// The data come from the other launches of a profile, together; the most touched data are first.
    case otherLaunches
  }

  var source: Source
  /// The path of the document, or of the image that was launched.
  var path: String
  /// The number of launches that this launch counts as.
  var weight: UInt64
  /// The ID of the image that was launched; `nil` if it is unknown.
  var imageID: String?
  /// The touches in the order of time.
  var touches: [Touch]

  struct Touch: Hashable {
    /// The first touch of the data, at an address of the launched image.
    var touch: DataTouch
    /// The names of the touched data, if they are known. Other builds are searched for these names only.
    var names: [SymbolName]
    /// The hashes of the touched C strings, if no touched datum has a name. Other builds are searched for the same
    /// contents.
    var strings: [UInt32] = []
  }
}

extension LaunchData {
  /// The data of `image` that the program touched. During loading, only touches by the program count: the loader
  /// relocates the same pages whatever the order, and the kernel clears the end of the last page.
  init(_ image: PagesDocument.Image, path: String, weight: UInt64) {
    source = .pages
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

  /// The data of `images` that launches touched, if they were recorded. For each image, the launches that `profile`
  /// keeps whole come first, the heaviest first, and then the data that only other launches touched.
  ///
  /// - Parameters:
  ///   - images: indexes of images of `profile`.
  ///   - least: data that fewer launches touched are left out.
  ///   - strings: returns the strings of a recorded image; `nil` if the image is gone.
  /// - Complexity: O(*n* log *n*) for *n* data and first touches in whole launches.
  package static func all(
    in profile: Profile, images: [Int], touchedByAtLeast least: UInt64,
    strings: (TraceImage) -> ImageStrings?
  ) -> [Self] {
    images.filter { profile.images[$0].dataLaunches > 0 }.flatMap { image in
      let recorded = profile.images[image]
      let strings = strings(TraceImage(recorded))
      func data(_ indexes: some Sequence<Int>, _ source: Source, weight: UInt64) -> Self {
        Self(
          source: source, path: recorded.path, weight: weight, imageID: recorded.id?.description,
          touches: indexes.map { profile.data[$0] }.filter { $0.support >= least }.enumerated()
            .map { Touch($1, step: $0, strings) })
      }
      let whole = profile.launches.map { launch in
        (launch.weight, launch.data.map { Int($0) }.filter { profile.data[$0].image == image })
      }.filter { !$0.1.isEmpty }.sorted { ($0.0, $0.1.count) > ($1.0, $1.1.count) }
      let isWhole = Set(whole.lazy.flatMap(\.1))
      let others = profile.data.indices.filter {
        profile.data[$0].image == image && !isWhole.contains($0)
      }.sorted { a, b in
        let (first, second) = (profile.data[a], profile.data[b])
        return (second.support, first.positions.median ?? 0, a)
          < (first.support, second.positions.median ?? 0, b)
      }
      let rest = recorded.dataLaunches - min(recorded.dataLaunches, whole.map(\.0).saturatingSum())
      return whole.map { data($1, .wholeLaunch, weight: $0) }
        + (rest == 0 ? [] : [data(others, .otherLaunches, weight: rest)])
    }
  }
}

extension LaunchData.Touch {
  /// The touch of a datum of a profile. A datum without a name has all bytes that were touched; a variable has only its
  /// first byte.
  fileprivate init(_ datum: Profile.Function, step: Int, _ strings: ImageStrings?) {
    let size = datum.names.isEmpty ? datum.size ?? 1 : 1
    touch = DataTouch(step: step, bytes: AddressRange(start: datum.address, size: size))
    names = datum.names.first.map { [$0] } ?? []
    if datum.names.isEmpty { self.strings = strings?.hashes(in: touch.bytes) ?? [] }
  }
}

/// The C strings of an image.
package struct ImageStrings {
  private let data: DataLayout
  private let bytes: FileBytes

  /// - Returns: `nil` if the image has no C strings.
  init?(of release: ReleaseLayout) {
    guard let bytes = release.bytes, let data = (try? release.dataLayout()) ?? nil,
      !data.strings.isEmpty
    else { return nil }
    self.data = data
    self.bytes = bytes
  }

  /// - Complexity: O(*k* log *n*) for *k* of *n* strings, and their bytes.
  func hashes(in range: AddressRange) -> [UInt32] {
    data.places(in: range).compactMap { place in
      guard case .string(let index) = place else { return nil }
      return bytes.copy(data.strings[index].contents).stringHash
    }
  }
}

extension PagesInputs {
  /// Returns the data that each launch touched in one program or library.
  ///
  /// - Parameters:
  ///   - ids: the IDs of the program's builds. An image with another ID counts if its file name is the file name of a
  ///     build.
  ///   - paths: the paths of the program's builds.
  ///   - isOptional: whether a document may have no such image.
  /// - Throws: `mismatch` if a document has no such image.
  package func launches(
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
          "missing image '\(names.first ?? "")' in this document of pages: found "
            + document.images.map { "'\(fileName(ofPath: $0.path))'" }.joined(separator: ", "),
          context: [path],
          hint: "count the pages of the image with 'orderfile pages --json --also FILE'",
          severity: .mismatch)
      }
      launches.append(LaunchData(found, path: path, weight: weight))
    }
    return launches
  }
}
