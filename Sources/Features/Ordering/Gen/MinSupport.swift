import ImageModel

/// The number of launches that must have used an ordered function or datum.
package enum MinSupport: Hashable, Sendable {
  case launches(UInt64)
  case share(Share)

  /// Returns the least number of launches out of `all`; a share is rounded up.
  package func launches(of all: UInt64) -> UInt64 {
    switch self {
    case .launches(let count): count
    case .share(let share): share.leastCount(of: all)
    }
  }
}
