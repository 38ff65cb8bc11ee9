import Dispatch
import LibC
import Synchronization

/// The number of processors that are online; at least 1.
var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// Returns the results of `body` for each number below `count`, in the order of the numbers. The calls may run at the
/// same time.
func concurrently<Value: Sendable>(
  _ count: Int, _ body: @Sendable (_ number: Int) -> Value
) -> [Value] {
  let values = Mutex([Value?](repeating: nil, count: count))
  DispatchQueue.concurrentPerform(iterations: count) { number in
    let value = body(number)
    values.withLock { $0[number] = value }
  }
  return values.withLock { $0 }.compactMap { $0 }
}
