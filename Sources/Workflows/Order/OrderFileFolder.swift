import ImageModel

/// The folder for the order files of several images, named after the images: `gen --all-images`.
package struct OrderFileFolder {
  private let path: String

  /// Makes the folder unless it exists.
  package init(_ path: String) throws(Diagnostic) {
    try Folder.make(path)
    self.path = path
  }

  /// Writes one file for each image that `generation` orders.
  ///
  /// - Throws: before any is written, if one of them can't be written; or the errors of `generation`, after the files of
  ///   earlier images have been written.
  package func write(_ generation: inout OrderGeneration) throws(Diagnostic) -> [GeneratedOrder] {
    let files = try generation.fileNames.map { name throws(Diagnostic) in
      (name, try OutputFile("\(path)/\(name).order"))
    }
    var orders: [GeneratedOrder] = []
    for (name, file) in files {
      let order = try generation.order(ofImageNamed: name, outputPath: file.path)
      try file.finish(order.bytes)
      orders.append(order)
    }
    return orders
  }
}
