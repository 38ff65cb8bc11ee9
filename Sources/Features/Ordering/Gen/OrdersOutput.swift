import CommandSupport
import ImageModel
import LibC

/// The output of `gen --all-images`, which writes the order files of several images.
package enum OrdersOutput {
  /// The output is a folder, with an order file for each image, named after the image.
  case folder(String)
  /// The output is one file with all orders, for a build that links all images with this file.
  case file(OutputFile)

  /// Chooses the file at `path` if it exists, or if the name ends with `.order`; otherwise the folder, which is made
  /// unless it exists.
  ///
  /// - Parameter inputs: the paths of the files from which the orders are made.
  /// - Throws: if the file or the folder can't be written.
  package init(_ path: String, madeOf inputs: [String]) throws(Diagnostic) {
    var status = stat()
    let exists = stat(path, &status) == 0
    let isFolder = exists ? status.st_mode & S_IFMT == S_IFDIR : !path.hasSuffix(".order")
    if isFolder {
      try Folder.make(path)
      self = .folder(path)
    } else {
      try OutputFile.check(path, isNoneOf: inputs)
      self = .file(try OutputFile(path))
    }
  }

  /// Writes the order of each image that `generation` orders.
  ///
  /// - Throws: an error before any file is written, if one of the files can't be written; or the errors of
  ///   `generation`, after the files of earlier images have been written.
  package func write(_ generation: inout OrderGeneration) throws(Diagnostic) -> [GeneratedOrder] {
    var orders: [GeneratedOrder] = []
    switch self {
    case .folder(let path):
      let files = try generation.fileNames.map { name throws(Diagnostic) in
        (name, try OutputFile("\(path)/\(name).order"))
      }
      for (name, file) in files {
        let order = try generation.order(ofImageNamed: name, outputPath: file.path)
        try file.finish(order.bytes)
        orders.append(order)
      }
    case .file(let file):
      for name in generation.fileNames.sorted() {
        orders.append(try generation.order(ofImageNamed: name, outputPath: file.path))
      }
      try file.finish(orders.flatMap(\.bytes))
    }
    return orders
  }
}
