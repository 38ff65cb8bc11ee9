// A control on its own file
//
// The control is the first program, launched once more in each round. If the control were the first program's file, that
// file would be read from its device twice in each round, and the second program's file once. Devices, and hosts of virtual
// machines, cache blocks that are read often, so an equal second program would seem slower. A copy has its own blocks,
// which are read as often as the second program's blocks.

import ImageModel
import LibC

/// A copy of an image's file. The copy is removed when this object is released.
package final class ControlCopy {
  package let path: String

  /// Copies an image to a new file in the same folder, where the copy finds the same libraries.
  ///
  /// - Parameter image: an absolute path without symbolic links.
  /// - Throws: if the image can't be read, or if no file can be made beside it.
  package convenience init(of image: String) throws(Diagnostic) {
    let copy: UniqueFile
    do { copy = try UniqueFile("\(image).control.") } catch {
      throw Diagnostic(
        "unable to copy this image for the control: \(error)", context: [image],
        hint: "measure copies of both builds in a folder of your own")
    }
    close(copy.descriptor)
    try self.init(of: image, to: copy.path)
  }

  /// Copies an image to `path`; a file there is replaced.
  package init(of image: String, to path: String) throws(Diagnostic) {
    self.path = path
    let input = open(image, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .unable(to: "read", image) }
    defer { close(input) }
    let output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw .unable(to: "write", path) }
    defer { close(output) }
    do { try copyBytes(of: input, to: output) } catch {
      throw .unable(to: "write", path, error.errno)
    }
    var status = stat()
    guard fstat(input, &status) == 0, fchmod(output, status.st_mode & 0o777) == 0 else {
      throw .unable(to: "write", path)
    }
  }

  deinit { unlink(path) }
}
