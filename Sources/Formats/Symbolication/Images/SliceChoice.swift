import ImageModel
import ObjectFormat

/// The choice of an image in a file: a fat file contains an image for each architecture.
package struct SliceChoice: Sendable {
  /// The architecture that the user requested.
  package var architecture: Architecture?
  /// The IDs of images in a trace. An image with one of these IDs is the recorded image, whichever architecture the user
  /// requested: a request is for the image to order, and another device may have recorded another slice.
  package var ids: [ImageID]

  package init(_ architecture: Architecture? = nil, knownAs ids: [ImageID] = []) {
    self.architecture = architecture
    self.ids = ids
  }

  /// - Throws: `mismatch` if the only image of the file at `path` is not of the requested architecture. The ID of the image,
  ///   and not its architecture, decides about a recorded image.
  package func check(_ found: Architecture, of path: String) throws(Diagnostic) {
    if ids.isEmpty, let architecture, architecture != found {
      throw Self.mismatch(architecture, found: found.description, path)
    }
  }

  /// The chosen slice: by its ID, by the user's request, or because no other slice can be read.
  ///
  /// - Throws: a diagnostic that lists the slices if the choice is not unique; or the error in the slice.
  func choose(from file: FatFile, at path: String) throws(Diagnostic) -> MachOFile {
    let names = file.slices.map(\.architecture.description)
    let readable = file.slices.filter(\.architecture.is64Bit)
    for slice in ids.isEmpty ? [] : readable {
      let image = try? MachOFile(parsing: file.bytes, at: slice.range)
      if let id = try? image?.imageID(), let image, ids.contains(id) { return image }
    }
    if let architecture {
      guard let index = names.firstIndex(of: architecture.description) else {
        throw Self.mismatch(architecture, found: names.joined(separator: ", "), path)
      }
      return try Self.image(file, file.slices[index], path)
    }
    if readable.count < 2 {
      // If no slice can be read, the error of the first slice says what is unsupported.
      return try Self.image(file, readable.first ?? file.slices[0], path)
    }
    throw Diagnostic(
      "missing architecture: the file has images for "
        + readable.map(\.architecture.description).joined(separator: ", "), context: [path],
      remedies: [Remedy("choose one with '--arch'", option: "--arch")])
  }

  private static func image(
    _ file: FatFile, _ slice: FatFile.Slice, _ path: String
  ) throws(Diagnostic) -> MachOFile {
    let context = [path, slice.architecture.description]
    let found: ObjectFile
    do { found = try ObjectFile(parsing: file.bytes, at: slice.range) } catch {
      throw Diagnostic("\(error)", context: context)
    }
    guard case .machO(let image) = found else {
      throw Diagnostic(
        "unsupported file: found an archive, expected a linked image", context: context)
    }
    return image
  }

  private static func mismatch(
    _ architecture: Architecture, found: String, _ path: String
  ) -> Diagnostic {
    Diagnostic(
      "architecture mismatch: expected \(architecture), found \(found)", context: [path],
      severity: .mismatch)
  }
}

extension MachOArchitecture {
  fileprivate var is64Bit: Bool { cpuType & 0xff00_0000 == 0x0100_0000 }  // CPU_ARCH_ABI64
}
