import ArgumentParser
import ImageModel

extension Share: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }

  /// Reads a share that is an upper limit. `1` and `1.0` are refused, because they may mean 1% or 100%. For a minimum,
  /// 100% is the stricter meaning. For an upper limit it is the laxer one, and the check would never fail.
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
