import Addresses
import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import PagesFormat
import ProcessTracing
import Symbolication
import TraceSymbolication

/// Translates the pages that a launch touched to addresses in the image, and the touching instructions to
/// functions.
struct PageNames {
  private var known: [String: KnownImage?] = [:]
  /// Warnings about images that could not be read.
  private(set) var warnings: [Diagnostic] = []

  private struct KnownImage {
    /// The build that is in the file now.
    var build: ImageInMemory
    var reference: ImageReference
    var pages: ImagePages
    var contents: ImageContents?
    var functions: RecordedImage?
  }

  /// - Parameters:
  ///   - wanted: real paths of images that are in the report even if none of their pages was touched.
  /// - Returns: the wanted images, then the others in the order of their first load.
  /// - Throws: if a wanted image can't be read, or if nothing at all was touched.
  mutating func images(
    of touches: PageTouches, wanted: [String]
  ) throws(Diagnostic) -> [PagesDocument.Image] {
    var pages: [String: [PagesDocument.Page]] = [:]
    var loading: [String: [PagesDocument.Page]] = [:]
    let loaders = loaders(of: touches)
    // For each image, whether its build is still in the file. This is determined once, because it maps files.
    let isThere = touches.images.map { image(of: $0) != nil }
    let others = touches.others + otherBuilds(touches, isThere, wanted)
    for (step, touch) in touches.touches.enumerated() where isThere[touch.image] {
      let path = touches.images[touch.image].path
      guard let image = image(at: path),
        let address = touch.page.stated(from: image.pages.start),
        let segment = image.pages.segment(holding: address)
      else { continue }
      var row = page(touch, at: address, segment, step, touches, isThere)
      if let contents = image.contents, let touched = touch.address.stated(from: image.pages.start)
      {
        let accessor = PageAccessor(contents, loaders: loaders, touches)
        // The bytes that exec clears follow the last byte that the file fills.
        let place = touch.instruction == nil ? address.lastOfPage : touched
        let section = contents.section(at: place)
        row.touched = place
        row.section = section
        row.symbol = contents.symbol(at: place)
        row.accessor = accessor.accessor(of: touch, at: place, in: section)
      }
      if touch.isLoading {
        loading[path, default: []].append(row)
      } else {
        pages[path, default: []].append(row)
      }
    }
    for path in wanted where image(at: path) == nil {
      throw warnings.first { $0.context == [path] } ?? Diagnostic("left out", context: [path])
    }
    warnings += others.map { .otherImage($0) }
    warnings += touches.inaccessible.map { .inaccessible($0) }
    warnings += touches.withoutRights.map { .ranWithoutRights($0) }
    for path in wanted where pages[path] == nil && !others.contains(path) {
      warnings.append(Diagnostic("no page of this image was touched", context: [path]))
    }
    var touched: [String] = []
    for path in touches.images.map(\.path) where pages[path] != nil && !touched.contains(path) {
      touched.append(path)
    }
    guard !touched.isEmpty else {
      if let path = others.first { throw .otherImage(path) }
      throw Diagnostic("no page of this image was touched", context: Array(wanted.prefix(1)))
    }
    return (wanted + touched.filter { !wanted.contains($0) }).map { path in
      let image = image(at: path)
      var counted = PagesDocument.Image(
        image?.reference ?? ImageReference(path: path), pages: pages[path] ?? [],
        filePages: image?.pages.filePages ?? [],
        loading: touches.loadingImages.contains(path) ? loading[path] ?? [] : nil)
      if image != nil, let bytes = try? FileBytes(regularFileAt: path) {
        counted.prefetch = TouchedPagePrefetch(of: counted, in: bytes)
      }
      return counted
    }
  }

  /// Returns the indexes of the loaders that the images name as their interpreters.
  private mutating func loaders(of touches: PageTouches) -> Set<Int> {
    let asking = Set(touches.touches.map(\.image)).sorted().map { touches.images[$0].path }
    let program = touches.program.map { [$0] } ?? []
    let wanted = (program + asking).compactMap { image(at: $0)?.contents?.interpreter }
    let paths = Set(wanted).sorted().compactMap { try? Folder.absolutePath($0) }
    return Set(touches.images.indices.filter { paths.contains(touches.images[$0].path) })
  }

  /// Returns the paths of touched images that are another build than the file at their path, each once.
  private func otherBuilds(
    _ touches: PageTouches, _ isThere: [Bool], _ wanted: [String]
  ) -> [String] {
    var others: [String] = []
    for index in Set(touches.touches.map(\.image)).sorted() where !isThere[index] {
      let path = touches.images[index].path
      let former = ProcessMapping.withoutDeletion(path)
      // Files that can't be read are left out here, because another message reports them.
      let isReplaced = known[path].flatMap { $0 } != nil || wanted.contains(former)
      if isReplaced, !touches.others.contains(former), !others.contains(former) {
        others.append(former)
      }
    }
    return others
  }

  private mutating func page(
    _ touch: PageTouches.Touch, at address: StatedAddress, _ segment: Segment,
    _ step: Int, _ touches: PageTouches, _ isThere: [Bool]
  ) -> PagesDocument.Page {
    var row = PagesDocument.Page(
      access: touch.access, address: address, segment: segment, function: nil,
      instruction: nil, instructionImage: nil, step: step)
    guard case .inImage(let index, let relative) = touch.instruction else { return row }
    let path = touches.images[index].path
    if index != touch.image { row.instructionImage = path }
    guard isThere[index], let image = image(at: path),
      let instruction = relative.stated(from: image.pages.start)
    else { return row }
    if index == touch.image { row.instruction = instruction }
    row.function = image.functions?.body(holding: instruction)?.names.first
    return row
  }

  /// Returns the file of an image that was in memory; `nil` if the file at its path is another build, or can't be read.
  private mutating func image(of loaded: ImageInMemory) -> KnownImage? {
    image(at: loaded.path).flatMap { $0.build.isBuild(loaded) ? $0 : nil }
  }

  private mutating func image(at path: String) -> KnownImage? {
    if let image = known[path] { return image }
    var image: KnownImage?
    do {
      let bytes = try FileBytes(regularFileAt: path)
      let pages = try ImagePages(of: bytes)
      var functions: Image?
      do { functions = try Image.reading(bytes, path: path).image } catch {
        warnings.append(Diagnostic("functions have no names: \(error.message)", context: [path]))
      }
      image = KnownImage(
        build: Self.build(bytes, at: path), reference: ImageReference(path: path, bytes),
        pages: pages,
        contents: try? ImageContents(of: bytes),
        functions: functions.map { RecordedImage($0) })
    } catch {
      warnings.append(Diagnostic("left out: \(error)", context: [path]))
    }
    known[path] = .some(image)
    return image
  }
}

extension StatedAddress {
  fileprivate var lastOfPage: Self { Self(rawValue: rawValue | (ImagePages.pageSize - 1)) }
}

extension ImagePages {
  fileprivate var filePages: [PagesDocument.FilePages] {
    PagesDocument.pageSizes.map { size in
      PagesDocument.FilePages(
        pageSize: size, text: count(of: .text, size),
        readOnly: count(of: .readOnly, size), data: count(of: .data, size))
    }
  }
}

extension PageNames {
  /// Returns the build that is at `path`.
  static func build(at path: String) throws(Diagnostic) -> ImageInMemory {
    build(try InputFile.bytes(path), at: path)
  }

  /// Returns the build that was read from `path`.
  private static func build(_ bytes: FileBytes, at path: String) -> ImageInMemory {
    let id = ImageID(inMemory: bytes)
    return ImageInMemory(
      path: path, file: ProcessMapping.file(at: path), id: id?.bytes ?? [],
      isWeak: id?.kind == .weak)
  }

  /// Returns the address of the first byte of the function called `name`; `nil` if the file at `path` has no such
  /// function, or is no image.
  static func address(of name: String, in path: String) throws(Diagnostic) -> RelativeAddress? {
    let bytes = try InputFile.bytes(path)
    guard let start = (try? ImagePages(of: bytes))?.start,
      let places = try? BreakpointPlaces(of: bytes, at: path, lookingFor: [name]),
      let function = places.named[name]
    else { return nil }
    return RelativeAddress(function, from: start)
  }
}
