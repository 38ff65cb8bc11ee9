import ImageModel
import JSON
import Rendering

/// The copies of objects by whose section names a linker places functions.
package struct RenamingSummary: Hashable, Sendable {
  /// The folder with the copies.
  package var folder: String
  /// The options of a compiler driver with which to link the copies.
  package var linkOptions: String
  /// The number of distinct section names by which the linker places functions.
  package var sections: Int
  package var objects: [Object]

  /// An object file or an archive, and its copy.
  package struct Object: Hashable, Sendable {
    package var path: String
    package var copy: String
    /// The number of section names that objcopy changed; 0 if the copy is the same as the object.
    package var sections: Int

    package init(path: String, copy: String, sections: Int) {
      self.path = path
      self.copy = copy
      self.sections = sections
    }
  }

  package init(folder: String, linkOptions: String, sections: Int, objects: [Object]) {
    self.folder = folder
    self.linkOptions = linkOptions
    self.sections = sections
    self.objects = objects
  }

  /// `renamed 590 sections in 3 of 12 objects: build/ordered`
  var text: String {
    let changed = objects.filter { $0.sections > 0 }.count
    return "renamed \(counted(sections, "section")) in \(changed) of "
      + "\(counted(objects.count, "object")): \(printable(folder))"
  }

  /// How to link the copies.
  var use: String {
    let example = objects.first { $0.sections > 0 } ?? objects.first
    let place = example.map {
      " (\(printable(shellWord($0.copy))) for \(printable(shellWord($0.path))))"
    }
    return "link the copies in place of the objects\(place ?? ""), with \(linkOptions)"
  }
}

extension RenamingSummary: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("folder", folder)
    json.member("linkOptions", linkOptions)
    json.member("objects", objects)
    json.member("sections", sections)
  }
}

extension RenamingSummary.Object: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("copy", copy)
    json.member("path", path)
    json.member("sections", sections)
  }
}
