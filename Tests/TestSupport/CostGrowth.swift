import Foundation

/// Returns the ratio of the processor times that `body` takes for `factor` times a size and for the size. It is about
/// `factor` if the cost is linear, and the square of `factor` if the cost is quadratic.
///
/// The processor time is measured for this thread alone, so that a busy machine makes little difference. Other
/// processes can only make a measurement longer, so the shortest of several counts.
///
/// Two sizes are enough. The exponent of a power law, fitted to sizes that grow by equal factors, such as *n*, 2*n* and
/// 4*n*, does not depend on the size in the middle: its weight in the fit is zero.
///
/// - Parameter size: the first size that is tried. The size is doubled until fixed costs are at most a third of the
///   costs that grow, because fixed costs hide a square. If the size is doubled five times and fixed costs still
///   prevail, a square is not noticeable at 32 times the size, and the ratio is that of the last size.
package func costGrowth(
  from size: Int, by factor: Int, _ body: (_ size: Int) -> Void
) -> Double {
  costGrowth(from: size, by: factor, of: { $0 }, body)
}

/// Returns the same ratio for a body that takes `input(size)`. The time to make the input does not count.
package func costGrowth<Input>(
  from size: Int, by factor: Int, of input: (_ size: Int) -> Input, _ body: (Input) -> Void
) -> Double {
  func cost(of size: Int, times: Int) -> Double {
    let input = input(size)
    let costs = (0..<times).map { _ in
      let start = threadSeconds()
      body(input)
      return threadSeconds() - start
    }
    return costs.min() ?? 0
  }
  var size = size
  // Values that only the first call makes are no part of the cost.
  _ = cost(of: max(1, size / 8), times: 1)
  var small = cost(of: size, times: 2)
  for _ in 0..<5 where small < 3 * cost(of: max(1, size / 8), times: 2) {
    size *= 2
    small = cost(of: size, times: 2)
  }
  var large = cost(of: size * factor, times: 1)
  for _ in 0..<2 where large > 2 * Double(factor) * small {
    large = min(large, cost(of: size * factor, times: 1))
  }
  return large / max(small, 1e-6)
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
