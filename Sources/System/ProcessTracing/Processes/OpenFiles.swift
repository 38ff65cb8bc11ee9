import LibC

/// Keeps at most `limit` files open, of many files that are used in turn. A launch can have more
/// processes than the tracer can have open files.
package final class OpenFiles {
  private let limit: Int
  private var descriptors: [ObjectIdentifier: Int32] = [:]
  /// The owners of `descriptors`, in the order in which they were opened.
  private var owners: [ObjectIdentifier] = []

  package init(limit: Int = 32) { self.limit = limit }

  deinit { while !owners.isEmpty { closeFirst() } }

  /// Returns the descriptor of the file that `owner` uses.
  ///
  /// - Parameter opening: opens the file if it is not open; returns a descriptor, or -1 and the
  ///   reason in `errno`.
  /// - Returns: -1 if the file can't be opened, with the reason in `errno`.
  package func descriptor(of owner: AnyObject, _ opening: () -> Int32) -> Int32 {
    let owner = ObjectIdentifier(owner)
    if let known = descriptors[owner] { return known }
    if owners.count >= limit { closeFirst() }
    var opened = opening()
    while opened < 0, errno == EMFILE || errno == ENFILE, !owners.isEmpty {
      closeFirst()
      opened = opening()
    }
    guard opened >= 0 else { return -1 }
    descriptors[owner] = opened
    owners.append(owner)
    return opened
  }

  /// Closes the file of `owner`, which is about to be gone.
  package func close(of owner: AnyObject) { close(ObjectIdentifier(owner)) }

  private func closeFirst() { close(owners[0]) }

  private func close(_ owner: ObjectIdentifier) {
    guard let descriptor = descriptors.removeValue(forKey: owner) else { return }
    _ = LibC.close(descriptor)
    owners.removeAll { $0 == owner }
  }
}
