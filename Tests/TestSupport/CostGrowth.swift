import Foundation

/// How many times as much processor time `body` takes for `factor` times the size: about `factor` if its cost
/// is linear, and its square if that is quadratic.
///
/// Of this thread alone, so that a busy machine makes no difference.
package func costGrowth(
  from size: Int, by factor: Int, _ body: (_ size: Int) -> Void
) -> Double {
  func cost(_ size: Int) -> Double {
    let start = threadSeconds()
    body(size)
    return threadSeconds() - start
  }
  // What is measured by chance must not make the growth seem larger than it is.
  let small = (0..<3).map { _ in cost(size) }.max() ?? 0
  let large = (0..<2).map { _ in cost(size * factor) }.min() ?? 0
  return large / max(small, 1e-6)
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
