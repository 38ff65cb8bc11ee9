// Addresses and pages in tests are numbers, as the tables of cases have them.

import Addresses

extension LoadedAddress: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension PageNumber: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}
