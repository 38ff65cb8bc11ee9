// In tests, addresses and pages are written as numbers, as in the tables of cases.

import Addresses

extension LoadedAddress: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension PageNumber: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}
