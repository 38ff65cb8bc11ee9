// What launches touched of the data of one image, from profiles and from documents of pages.
//
// The profile of builds that report loads and stores has each variable. A document of pages names what was touched first
// on each page: of an unmodified program more can't be seen without changing it. `refine` counts again after each link, so
// that pages which are still touched name what was second.

import Addresses
import ByteReading
import CommandSupport
import ImageModel
import OrderFileFormat
import PagesFormat
import ProfileFormat
import Symbolication

/// What one launch touched of the data of an image.
package struct LaunchData {
  enum Source {
    case pages
    /// A launch that a profile keeps whole.
    case wholeLaunch
    /// What other launches touched; the most touched first.
    case otherLaunches
  }

  var source: Source
  /// Of the document, or of the image that was launched.
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
    /// The hashes of C strings there, if nothing there has a name; other builds know them by their contents.
    var strings: [UInt32] = []
  }
}

extension LaunchData {
  /// What the program touched of `image`. The loader touches the same whatever the order, as far as it touches pages
  /// that it relocates; and execs clear the end of the last page.
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

  /// What launches touched of the data of `images`, as far as that was recorded: the launches that `profile` keeps whole, the
  /// heaviest first, and for each image what only other launches touched.
  ///
  /// - Parameters:
  ///   - images: indexes of images of `profile`.
  ///   - least: data that fewer launches touched are left out.
  ///   - strings: returns those of a recorded image; `nil` if it is gone.
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
  /// Of a datum of a profile. One without a name is all bytes that were touched; of a variable one byte stands for all.
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

  /// - Returns: `nil` if the image has none.
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
  ///   - ids: the IDs of its builds. An image with another ID counts if its file name is that of a build.
  ///   - paths: the files of its builds.
  ///   - isOptional: whether a document may have no such image.
  /// - Throws: `mismatch` if a document has none.
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
          "missing image '\(names.first ?? "")' in the pages: found "
            + document.images.map { "'\(fileName(ofPath: $0.path))'" }.joined(separator: ", "),
          context: [path], hint: "count its pages with 'orderfile pages --json --also FILE'",
          severity: .mismatch)
      }
      launches.append(LaunchData(found, path: path, weight: weight))
    }
    return launches
  }
}
