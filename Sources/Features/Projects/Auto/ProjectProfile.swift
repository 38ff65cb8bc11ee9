import ByteReading
import ClusterProfileFormat
import ImageModel

/// The profiles of several images as one, because objects are compiled without knowing what will link them.
package struct ProjectProfile {
  package let bytes: [UInt8]

  /// A function that several images have stays whole: its blocks may differ.
  ///
  /// - Parameter profiles: files.
  /// - Complexity: O(*n*) for *n* bytes, on average.
  package init(_ profiles: [[UInt8]]) throws(Diagnostic) {
    var functions: [ClusterProfile.Function] = []
    for profile in profiles {
      do { functions += try ClusterProfile(parsing: FileBytes(profile)).functions } catch {
        throw Diagnostic("unable to read the profile: \(error)")
      }
    }
    struct Name: Hashable {
      var unit: [UInt8]?
      var name: [UInt8]
    }
    var counts: [Name: Int] = [:]
    for function in functions {
      for name in function.names { counts[Name(unit: function.unit, name: name), default: 0] += 1 }
    }
    let own = functions.filter { function in
      function.names.allSatisfy { counts[Name(unit: function.unit, name: $0)] == 1 }
    }
    bytes = ClusterProfile(functions: own).written()
  }
}
