import Foundation

/// The folder in which Scripts/python-packages.sh installs the packages with which integrations compare.
package let pythonPackages = projectFolder.appendingPathComponent(".build/python").path

/// The variables with which python3 finds these packages.
package let pythonEnvironment = ["PYTHONPATH": pythonPackages, "PYTHONDONTWRITEBYTECODE": "1"]

extension Requirement {
  /// A package of Scripts/python-packages.sh.
  package static func python(_ name: String) -> Requirement {
    Requirement("python3 and its package \(name)") {
      toolPath("python3") != nil
        && FileManager.default.fileExists(atPath: "\(pythonPackages)/\(name)")
    }
  }
}
