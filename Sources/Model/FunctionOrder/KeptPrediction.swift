/// What is predicted for a kept order and for the new order, as sums over all launches.
package struct KeptPrediction: Hashable, Sendable {
  /// A sum with the new order, and the sum with the kept order.
  package struct Sums: Hashable, Sendable {
    package var new: Int
    package var kept: Int

    package init(new: Int, kept: Int) {
      self.new = new
      self.kept = kept
    }
  }

  /// The number of launches, weights included. More than 200 launches are reduced in proportion.
  package var launches: Int
  /// The pages of 4 KiB.
  package var pages: Sums
  /// The page faults of cold launches on Linux.
  package var faults: Sums

  package init(launches: Int, pages: Sums, faults: Sums) {
    self.launches = launches
    self.pages = pages
    self.faults = faults
  }
}
