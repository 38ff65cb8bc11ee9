import ByteReading
import ImageModel
import Symbolication
import TraceSymbolication

/// The images that traces were recorded in. Each image is read once, and only if its ID is the ID in the trace.
package struct RecordedImages {
  /// The images that the user named.
  private var named: [Image] = []
  /// The images that traces name, by the path in the trace.
  private var found: [String: Image] = [:]
  private var refused: Set<String> = []
  /// The identities of images whose functions were not read, by the path that a trace states.
  private var identities: [String: [ImageIdentity]] = [:]
  /// How much code could be recorded, by image and recording method; only for images that were read.
  private var codeOfImage: [RecordableKey: RecordableCode?] = [:]
  /// Warnings about the images, including images that can't be read at the path in a trace.
  package private(set) var warnings: [Diagnostic] = []

  package init() {}

  /// Reads the image at `path`, which the user names, for every trace that was recorded in it.
  ///
  /// - Parameter known: the images that the traces state.
  /// - Parameter architecture: the slice to read from a universal file that has none of the recorded images.
  /// - Throws: `mismatch` with both IDs if the image is none of the recorded images.
  package mutating func add(
    path: String, _ architecture: Architecture?, recordedAs known: [TraceImage]
  ) throws(Diagnostic) {
    let wrapper = LibtoolWrapper(at: path)
    self.warnings += [wrapper?.note].compactMap { $0 }
    let (image, warnings) = try Image.reading(
      path: wrapper?.program ?? path,
      slice: SliceChoice(architecture, knownAs: known.compactMap(\.id)))
    self.warnings += warnings
    guard known.contains(where: { $0.id == image.id }) else {
      let sameName = known.first { $0.fileName == fileName(ofPath: path) }
      var mismatch = Diagnostic.imageMismatch(
        path, found: image.id, expected: sameName ?? known.first)
      mismatch.hint =
        "this image is not the build that was launched: give the launched build, or record again"
      throw mismatch
    }
    named.append(image)
  }

  /// Reads the images of traces from the paths that the traces state.
  package mutating func add(_ images: [TraceImage]) {
    for image in images where found[image.path] == nil && !refused.contains(image.path) {
      do {
        let (read, warnings) = try Image.reading(
          try Self.bytes(image.path), path: image.path,
          slice: SliceChoice(knownAs: [image.id].compactMap { $0 }))
        found[image.path] = read
        self.warnings += warnings
      } catch {
        refused.insert(image.path)
        warnings.append(error)
      }
    }
  }

  /// Reads the IDs and names of images that were not read otherwise, from the paths that the traces state.
  mutating func identify(_ images: [TraceImage]) {
    for image in images where self.image(for: image) == nil && identities[image.path] == nil {
      let bytes = try? FileBytes(regularFileAt: image.path)
      identities[image.path] = bytes.flatMap { try? ImageIdentity.all(in: $0) } ?? []
    }
  }

  /// The name that the library `image` states; `nil` if it is not a library, or if the name is unknown.
  package func libraryName(of image: TraceImage) -> String? {
    if let read = self.image(for: image) { return read.libraryName }
    return identities[image.path]?.first { $0.id == image.id }?.libraryName
  }

  /// Opens the file at a path from a trace. It need not be an image, nor a file that ends.
  private static func bytes(_ path: String) throws(Diagnostic) -> FileBytes {
    do { return try FileBytes(regularFileAt: path) } catch {
      throw Diagnostic(opening: path, error)
    }
  }

  /// Returns the image that was read and has the ID of `image`, if there is one.
  package func image(for image: TraceImage) -> Image? {
    named.first { $0.id == image.id } ?? found[image.path].flatMap { $0.id == image.id ? $0 : nil }
  }

  /// Reads the build of `image` again, with its code; `nil` if the build is no longer at its path.
  package func build(of image: TraceImage) -> ReleaseLayout? {
    let path = self.image(for: image)?.path ?? image.path
    guard let bytes = try? FileBytes(regularFileAt: path),
      let release = try? ReleaseLayout(bytes, path: path)
    else { return nil }
    return release.isImage(image) ? release : nil
  }

  private struct RecordableKey: Hashable {
    var path: String
    var id: ImageID?
    var means: RecordableCode.Means
  }

  /// Returns how much of the code of `image` could be recorded; `nil` if the image was not read or does not show the
  /// amount.
  package mutating func recordableCode(
    of image: TraceImage, by means: RecordableCode.Means
  ) -> RecordableCode? {
    guard let read = self.image(for: image) else { return nil }
    let key = RecordableKey(path: read.path, id: read.id, means: means)
    if let known = codeOfImage[key] { return known }
    let bytes = try? FileBytes(regularFileAt: read.path)
    let code = bytes.flatMap { try? RecordableCode(of: read, in: $0, by: means) }
    codeOfImage[key] = .some(code)
    return code
  }

  /// Returns the number of functions of `image` if its basic blocks have guards of their own; `nil` if each function has one
  /// guard, or if the image was not read.
  package func guardedFunctions(of image: TraceImage) -> Int? {
    guard let read = self.image(for: image), let bytes = try? FileBytes(regularFileAt: read.path)
    else { return nil }
    return GuardedFunctions(of: read, in: bytes)?.count
  }

  /// Returns the functions of an image of `trace`: the functions of the image if it was read, or else the functions
  /// that the trace names.
  ///
  /// - Parameter names: the names that `trace` has for the image.
  /// - Throws: `mismatch` if neither the trace nor an image has the names.
  package func recordedImage(
    _ image: TraceImage, _ names: [RecordedName], of trace: Trace
  ) throws(Diagnostic) -> RecordedImage {
    if let read = self.image(for: image) {
      return RecordedImage(read, data: data(of: read, for: trace))
    }
    if trace.isSealed || !names.isEmpty { return RecordedImage(names) }
    if let other = imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the recorded image, whose functions the trace does not name",
      context: [trace.path, image.path],
      remedies: [
        .givenAsRecorded("give its new path"),
        Remedy(
          "record again with 'orderfile record', which writes the names of functions into the trace"
        ),
      ],
      severity: .mismatch)
  }

  /// Returns the recorded image itself, for a command that was given no other build.
  ///
  /// - Parameter known: the images of all traces. All of them are read.
  package mutating func recordedImage(
    of image: TraceImage, among known: [TraceImage]
  ) throws(Diagnostic) -> Image {
    add(known)
    if let read = self.image(for: image) { return read }
    if let other = imageAtPath(of: image) {
      throw .imageMismatch(image.path, found: other.id, expected: image)
    }
    throw Diagnostic(
      "missing the build to order", context: [image.path],
      remedies: [
        Remedy("give the image with --image", option: "--image"),
        Remedy("its link map with --link-map", option: "--link-map"),
      ], severity: .mismatch)
  }

  /// Returns the image that is at the path of `image` now, whatever its ID.
  private func imageAtPath(of image: TraceImage) -> Image? { found[image.path] }

  /// Returns an error for each image of `trace` that has since been replaced, with the expected and the found ID.
  package func mismatches(of trace: Trace) -> [Diagnostic] {
    trace.imageGroups.compactMap { group in
      let image = trace.images[group[0]]
      guard self.image(for: image) == nil, let other = imageAtPath(of: image) else { return nil }
      return .imageMismatch(image.path, found: other.id, expected: image)
    }
  }

  /// Returns the functions of each image of `trace`: of the recorded image if it was read, else the names in the trace.
  /// Reads the images if the trace is not sealed.
  package mutating func functions(of trace: Trace) -> [RecordedImage] {
    if !trace.isSealed { add(trace.images) }
    return zip(trace.images, RecordedImage.all(namesOf: trace)).map { image, named in
      self.image(for: image).map { RecordedImage($0, data: data(of: $0, for: trace)) } ?? named
    }
  }

  /// Returns, for each image of `trace`, the image that was read; `nil` if it was not read or is another build.
  package func recordedImages(of trace: Trace) -> [RecordedImage?] {
    trace.images.map { image(for: $0).map { RecordedImage($0, data: data(of: $0, for: trace)) } }
  }

  /// Returns the variables and constants of an image that was read, if `trace` has touches of data.
  private func data(of image: Image, for trace: Trace) -> Layout? {
    guard !trace.dataHits.isEmpty, let bytes = try? FileBytes(regularFileAt: image.path) else {
      return nil
    }
    return try? DataLayout(of: bytes, architecture: image.architecture)?.layout
  }
}

extension Diagnostic {
  /// Returns the error for an image that is not the recorded one.
  static func imageMismatch(
    _ path: String, found: ImageID?, expected: TraceImage?
  ) -> Diagnostic {
    let wanted = expected?.id?.description ?? "none"
    return Diagnostic(
      "image ID mismatch: expected \(wanted), found \(found?.description ?? "none")",
      context: [path],
      remedies: [
        Remedy("the image was rebuilt after the recording: record again"),
        .givenAsRecorded("give the recorded image"),
      ],
      severity: .mismatch)
  }
}

extension Remedy {
  /// - Parameter what: what the user can do with the recorded image, as a verb and its object: `give it`.
  package static func givenAsRecorded(_ what: String) -> Remedy {
    Remedy("\(what) with --recorded", option: "--recorded")
  }
}
