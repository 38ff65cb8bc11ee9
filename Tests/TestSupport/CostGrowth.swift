import Foundation

/// Returns the ratio of the processor times that `body` takes for `factor` times the size and for the size. It is about
/// `factor` if the cost is linear, and the square of `factor` if the cost is quadratic.
///
/// The processor time is measured for this thread alone, so that a busy machine makes no difference.
///
/// Two sizes are enough. The exponent of a power law, fitted to sizes that grow by equal factors, such as *n*, 2*n* and
/// 4*n*, does not depend on the size in the middle: its weight in the fit is zero.
package func costGrowth(
  from size: Int, by factor: Int, _ body: (_ size: Int) -> Void
) -> Double {
  costGrowth(from: size, by: factor, of: { $0 }, body)
}

/// Returns the same ratio for a body that takes `input(size)`. The time to make the input does not count.
package func costGrowth<Input>(
  from size: Int, by factor: Int, of input: (_ size: Int) -> Input, _ body: (Input) -> Void
) -> Double {
  func costs(of input: Input, times: Int) -> [Double] {
    (0..<times).map { _ in
      let start = threadSeconds()
      body(input)
      return threadSeconds() - start
    }
  }
  var small = costs(of: input(size), times: 1).max() ?? 0
  var large = costs(of: input(size * factor), times: 1).min() ?? 0
  // Noise must not make the growth seem larger than it is.
  if large > small * 2 * Double(factor) {
    small = max(small, costs(of: input(size), times: 2).max() ?? 0)
    large = min(large, costs(of: input(size * factor), times: 1).min() ?? 0)
  }
  return large / max(small, 1e-6)
}

private func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
