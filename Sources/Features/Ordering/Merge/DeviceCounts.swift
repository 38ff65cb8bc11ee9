import TraceFormat

/// Counts the devices that ran each function of an image, up to the number that is needed.
///
/// A device is known by its token only. For each function, at most the needed number of tokens is kept; further devices
/// change nothing. So memory has a bound that depends on the image, and not on the payloads: 8 bytes for each function
/// and needed device, 4 MB for 10,000 functions and 50 devices.
struct DeviceCounts: Sendable {
  private let least: Int
  /// For each guard, the tokens of the devices that ran its function, ascending; at most `least`.
  private var tokens: [[UInt64]]

  /// - Parameter least: the number of devices that a function needs; at least 1.
  init(guards: Int, least: Int) {
    self.least = least
    tokens = Array(repeating: [], count: guards)
  }

  /// - Complexity: O(*f* *k*) for *f* functions and *k* needed devices.
  mutating func add(_ functions: [FieldPayload.Function], token: UInt64) {
    for function in functions { tokens[function.guardIndex].insert(token, upTo: least) }
  }

  /// Whether enough devices ran the function of the guard with this index.
  func isShown(_ guardIndex: Int) -> Bool { tokens[guardIndex].count >= least }
}

extension [UInt64] {
  /// Inserts `value` in ascending order, unless it is known or the list is full.
  mutating func insert(_ value: UInt64, upTo limit: Int) {
    guard count < limit else { return }
    let place = partitioningIndex { $0 >= value }
    if place == count || self[place] != value { insert(value, at: place) }
  }
}
