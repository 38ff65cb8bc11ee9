import ArgumentParser
import ImageModel
import Ordering

extension MinSupport: ExpressibleByArgument {
  /// Reads a number of launches, or a share of them with a percent sign.
  package init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let share = Share(argument) else { return nil }
      self = .share(share)
    } else {
      guard let count = UInt64(argument), count > 0 else { return nil }
      self = .launches(count)
    }
  }
}
