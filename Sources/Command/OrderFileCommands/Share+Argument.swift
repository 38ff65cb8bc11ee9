import ArgumentParser
import ImageModel

extension Share: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }

  /// Reads a share at most which, or below which, something is accepted. `1` and `1.0` are refused: for a minimum, all of
  /// it is the stricter way to take them; here it is the laxer one, and a gate that never fails.
  static func limit(_ argument: String) throws -> Share {
    guard let share = Share(argument) else {
      throw ValidationError("expected a share such as 5% or 0.05")
    }
    if share == Share(percent: 100), !argument.hasSuffix("%"), !argument.hasPrefix("100") {
      throw ValidationError("expected 1% or 100%")
    }
    return share
  }
}
