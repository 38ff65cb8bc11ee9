import Synchronization

/// A value for each key, which is made when a test first needs it. Other tests that need it wait until it is made.
package final class Memo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private final class Place: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  private let places = Mutex<[Key: Place]>([:])

  package init() {}

  package func value(for key: Key, make: () throws -> Value) throws -> Value {
    let place = places.withLock { places in
      let place = places[key] ?? Place()
      places[key] = place
      return place
    }
    return try place.result.withLock { known in
      let result = known ?? Result { try make() }
      known = result
      return try result.get()
    }
  }
}
