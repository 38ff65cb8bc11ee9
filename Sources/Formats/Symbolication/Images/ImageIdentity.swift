import ByteReading
import ImageModel
import ObjectFormat

/// What distinguishes a linked image from other images, without its functions.
package struct ImageIdentity: Hashable, Sendable {
  package var id: ImageID
  package var architecture: Architecture
  /// See `Image.libraryName`.
  package var libraryName: String?

  package init(id: ImageID, architecture: Architecture, libraryName: String?) {
    self.id = id
    self.architecture = architecture
    self.libraryName = libraryName
  }

  /// The identities of the images in `bytes`, one for each slice of a universal file. Images that can't be read are
  /// left out.
  ///
  /// - Throws: an error if the file has another format.
  /// - Complexity: O(*n*) for *n* sections, load commands and entries of the dynamic section.
  package static func all(in bytes: FileBytes) throws(ParseError) -> [ImageIdentity] {
    var files: [any ImageFile] = []
    switch try ObjectFile(parsing: bytes) {
    case .fat(let file):
      files = file.slices.compactMap { try? MachOFile(parsing: bytes, at: $0.range) }
    case let file: files = [file.image].compactMap { $0 }
    }
    return files.compactMap { file in
      guard let id = try? file.imageID() else { return nil }
      return ImageIdentity(
        id: id, architecture: file.architecture, libraryName: file.libraryName())
    }
  }
}

extension ImageReference {
  /// The image in the file at `path`; without architecture and ID if `bytes` are no image, or several.
  package init(path: String, _ bytes: FileBytes) {
    let images = (try? ImageIdentity.all(in: bytes)) ?? []
    let only = images.count == 1 ? images[0] : nil
    self.init(path: path, architecture: only?.architecture, id: only?.id.description)
  }
}
