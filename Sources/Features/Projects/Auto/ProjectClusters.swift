import ByteReading
import ClusterProfileFormat
import ImageModel

/// One profile for several images. An object is compiled before it is known which images will contain it.
package struct ProjectClusters {
  package let bytes: [UInt8]

  /// Merges profiles. A function that occurs in several of them stays whole, because its blocks may differ.
  ///
  /// - Parameter profiles: the contents of the profiles.
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
