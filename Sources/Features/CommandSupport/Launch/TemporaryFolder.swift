import ImageModel
import LibC

/// A temporary folder, which is removed with its contents when this object is released.
package final class TemporaryFolder {
  private let folder: String

  package init(in environment: LaunchEnvironment) throws(Diagnostic) {
    let parent = environment.temporaryFolder ?? "/tmp"
    var template = Array("\(parent)/orderfile.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .unable(to: "make a folder", parent)
    }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package func path(_ name: String) -> String { "\(folder)/\(name)" }

  deinit { Folder.remove(Array(folder.utf8)) }
}
