import Addresses
import ByteReading
import ImageModel
import InstructionDecoding
import LinkMapFormat
import Symbolication

/// The build to order or compare: a linked image, its link map, or both.
package struct ReleaseLayout {
  /// The path of the file that the layout was read from, for messages.
  package let path: String
  package private(set) var layout: Layout
  /// The initializers, in the order in which the loader calls them. If only a link map was given, only initializers of
  /// Mach-O images whose names show that they are initializers.
  package let initializers: [StatedAddress]
  /// The image; `nil` if only a link map was given.
  package let image: Image?
  /// The architecture; `nil` if only a link map was given and the map does not state it.
  package let architecture: Architecture?
  package private(set) var warnings: [Diagnostic]
  /// The bytes of the image; `nil` if only a link map was given.
  package let bytes: FileBytes?
  /// Data that share an input section with other data, as the link map shows: the linker can move them only together.
  /// Empty without a link map.
  package private(set) var sharedData: Set<StatedAddress> = []

  /// Returns the basic block address map of the image; `nil` if it has none, or if only a link map was given.
  package func blockMap() throws(Diagnostic) -> BlockMap? {
    guard let bytes else { return nil }
    do {
      return try BlockMap(of: bytes, functions: layout.functions.map(\.address))
    } catch { throw Diagnostic("\(error)", context: [path]) }
  }

  /// Returns the contents of the blocks of `map`, the map of this image; `nil` unless it is an ELF image.
  package func blockContents(_ map: BlockMap) -> BlockContents? {
    bytes.flatMap { BlockContents(of: $0, in: layout, map) }
  }

  /// The data of the image; `nil` if only a link map was given.
  package func dataLayout() throws(ParseError) -> DataLayout? {
    guard let bytes else { return nil }
    return try DataLayout(of: bytes, architecture: architecture)
  }

  /// The build as documents state it.
  package var reference: ImageReference {
    ImageReference(path: path, architecture: architecture, id: image?.id?.description)
  }

  /// The sizes of the image and its parts; `nil` unless it is an ELF image.
  package var imageSizes: ImageSizes? { bytes.flatMap { ImageSizes(of: $0) } }

  /// The ranges of the image's file that the loader maps, ascending; empty if they are unknown, as for a link map.
  package var mappings: [(segment: Segment, range: AddressRange)] {
    guard let bytes, let pages = try? ImagePages(of: bytes) else { return [] }
    return pages.mappings.map { ($0.segment, $0.range) }
  }

  /// Reads the image for BOLT.
  ///
  /// - Throws: an error also if only a link map was given.
  package func boltImage() throws(Diagnostic) -> BOLTImage {
    guard let bytes else {
      throw Diagnostic("unable to order with BOLT: expected a linked image", context: [path])
    }
    do { return try BOLTImage(of: bytes) } catch {
      throw Diagnostic("unable to order with BOLT: \(error)", context: [path])
    }
  }

  /// The functions of the image that debug information describes; `nil` if only a link map was given.
  package func describedFunctions() -> DescribedFunctions? {
    bytes.map { DescribedFunctions(of: $0, in: layout) }
  }

  /// The code of an ELF image; `nil` for other formats, and if only a link map was given.
  package var code: ImageCode?

  /// Reads the linked image or link map at `path`. For a libtool wrapper, reads the program that the wrapper runs.
  package init(
    path: String, debugFile: String? = nil, slice: SliceChoice = SliceChoice()
  ) throws(Diagnostic) {
    let wrapper = LibtoolWrapper(at: path)
    let path = wrapper?.program ?? path
    try self.init(try InputFile.bytes(path), path: path, debugFile: debugFile, slice: slice)
    if let wrapper { warnings.insert(wrapper.note, at: 0) }
  }

  /// Reads a linked image or a link map from `bytes`, which were read from `path`.
  ///
  /// - Parameter kind: the kind of `bytes`, if the caller has recognized it.
  package init(
    _ bytes: FileBytes, of kind: FileKind? = nil, path: String, debugFile: String? = nil,
    slice: SliceChoice = SliceChoice()
  ) throws(Diagnostic) {
    switch kind ?? FileKind(of: bytes) {
    case .objectFile:
      try self.init(bytes: bytes, imagePath: path, debugFile: debugFile, slice: slice)
    case .linkMap(let grammar):
      try self.init(mapPath: path, slice: slice) { () throws(ParseError) in
        try LinkMap(parsing: bytes, as: grammar)
      }
    case .trace, .profile, .payload, .other:
      // The error of the link map's reader also says why the file is not a link map.
      try self.init(mapPath: path, slice: slice) { () throws(ParseError) in
        try LinkMap(parsing: bytes)
      }
    }
  }

  /// Reads the image, and takes from the link map the facts that only the map has: input sections, object files, and
  /// all names if the image is stripped.
  package init(
    image: String, linkMap: String, debugFile: String?, slice: SliceChoice
  ) throws(Diagnostic) {
    let image = try ReleaseLayout(path: image, debugFile: debugFile, slice: slice)
    let map = try ReleaseLayout(path: linkMap, slice: SliceChoice(image.architecture))
    let isStripped = image.image?.symbolSource == .dynamicSymbols
    path = image.path
    layout = isStripped ? map.layout : image.layout.addingOrigins(of: map.layout)
    initializers = image.initializers
    self.image = image.image
    architecture = image.architecture
    warnings = isStripped ? map.warnings : image.warnings
    bytes = image.bytes
    sharedData = map.sharedData
  }

  package init(_ image: Image) { self.init(image, path: image.path, warnings: [], bytes: nil) }

  private init(_ image: Image, path: String, warnings: [Diagnostic], bytes: FileBytes?) {
    self.bytes = bytes
    self.path = path
    layout = image.layout
    initializers = image.initializers
    self.image = image
    architecture = image.architecture
    self.warnings = warnings
  }

  private init(
    bytes: FileBytes, imagePath: String, debugFile: String?, slice: SliceChoice
  ) throws(Diagnostic) {
    let (image, warnings) = try Image.reading(
      bytes, path: imagePath, debugFile: debugFile, slice: slice)
    self.init(image, path: imagePath, warnings: warnings, bytes: bytes)
    code = ImageCode(of: bytes)
  }

  private init(
    mapPath: String, slice: SliceChoice, reading read: () throws(ParseError) -> LinkMap
  ) throws(Diagnostic) {
    let map: LinkMap
    do { map = try read() } catch {
      throw Diagnostic("\(error)", context: [mapPath])
    }
    var warnings: [Diagnostic] = []
    layout = Layout(map, diagnostics: &warnings)
    sharedData = map.sharedData
    self.warnings = warnings.map {
      Diagnostic($0.message, context: [mapPath] + $0.context, hint: $0.hint, severity: $0.severity)
    }
    path = mapPath
    self.bytes = nil
    initializers = layout.imageFormat == .machO ? layout.initializersByName : []
    image = nil
    architecture = Architecture(map)
    if let architecture { try slice.check(architecture, of: mapPath) }
  }
}

extension TraceImage {
  /// Returns whether the ID of this image equals `build`. A weak ID proves nothing.
  package func isProved(_ build: ImageID?) -> Bool { id?.kind != .weak && id != nil && id == build }
}

extension ReleaseLayout {
  /// Returns whether `recorded` is this image.
  package func isImage(_ recorded: TraceImage) -> Bool { recorded.isProved(image?.id) }

  /// Returns the layout of an ELF image, with the functions added that only unwind tables list. If these tables are
  /// damaged, there is a warning instead.
  package func addingUnnamedFunctions() -> ReleaseLayout {
    guard let code else { return self }
    var release = self
    do { release.layout = layout.addingUnnamedFunctions(try code.frameRanges()) } catch {
      release.warnings.append(.unread("functions without a symbol", error, in: path))
    }
    return release
  }

  /// The facts about a launch that the layout shows without the code.
  package var factsWithoutCode: LaunchFacts {
    layout.imageFormat == .elf ? LaunchFacts(of: layout, hasCode: false) : LaunchFacts()
  }

  /// The facts about a launch that uses the functions `startup`, which are indexes into the layout's functions.
  ///
  /// - Throws: an error if parts of the image that its layout does not need are damaged.
  package func launchFacts(startup: [Int]) throws(Diagnostic) -> LaunchFacts {
    guard layout.imageFormat == .elf else { return LaunchFacts() }
    guard let code else { return factsWithoutCode }
    do {
      return try code.facts(of: layout, initializers: initializers, startup: startup)
    } catch {
      throw .unread("code references of both layouts", error, in: path)
    }
  }
}
