import ImageModel
import OrderFileFormat

extension Trace {
  /// Of the images that it was recorded in, as far as an ID tells; `nil` if none does.
  package var imageFormat: ImageFormat? {
    for image in images {
      switch image.id?.kind {
      case .uuid: return .machO
      case .buildID: return .elf
      case .weak, nil: continue
      }
    }
    return nil
  }
}
