// Positions, counted in intervals that grow with the position
//
// A position counts the functions of the image that a launch used before. Bucket b holds the positions p with b =
// floor(8 * log2(p + 1)): eight intervals for each doubling, so that a median is known within 9%, and the first eleven
// positions exactly. Buckets are computed with integers alone: they are the same on every machine, and the sum of two
// histograms is the histogram of all their positions.
//
//     position   0   1   2   3   4   5   6   7   8  ...  939..1022
//     bucket     0   8  12  16  18  20  22  24  25  ...         79

/// How often positions occurred, by intervals.
package struct PositionHistogram: Hashable, Sendable {
  package struct Bucket: Hashable, Sendable {
    package var number: UInt8
    /// The number of positions in the bucket, at least 1.
    package var count: UInt64

    package init(number: UInt8, count: UInt64) {
      self.number = number
      self.count = count
    }
  }

  /// The buckets, ascending by number.
  package private(set) var buckets: [Bucket] = []

  package init() {}

  /// - Precondition: `buckets` ascend by their numbers, and have no counts of 0.
  package init(_ buckets: [Bucket]) {
    precondition(zip(buckets, buckets.dropFirst()).allSatisfy { $0.number < $1.number }, "sorted")
    self.buckets = buckets
  }

  /// The interval that holds `position`; the largest position of 32 bits is in the interval of the position before it.
  package static func bucket(of position: UInt32) -> UInt8 {
    let value = min(UInt64(position) + 1, UInt64(UInt32.max))
    let octave = 63 - value.leadingZeroBitCount
    // The value divided by the largest power of two in it, times 2^63. The quotient is at least 1 and below 2.
    let scaled = value << (63 - octave)
    var step = 0
    while step < 7, scaled >= steps[step] { step += 1 }
    return UInt8(8 * octave + step)
  }

  /// The numbers 2^(k/8) times 2^63 for k from 1 to 7, rounded up: the bounds between the intervals of a doubling. The
  /// roots are irrational, so no position is on a bound.
  private static let steps: [UInt64] = [
    10_058_158_527_438_640_871, 10_968_499_650_544_839_024, 11_961_233_684_655_323_371,
    13_043_817_825_332_782_213, 14_224_384_202_002_324_190, 15_511_800_964_685_064_949,
    16_915_738_899_553_466_671,
  ]

  /// The smallest position in `bucket`, or above it if the bucket holds no position: `bucket` 1 gives 1.
  package static func firstPosition(in bucket: UInt8) -> UInt32 {
    let octave = Int(bucket / 8)
    let step = Int(bucket % 8)
    let scaled = step == 0 ? 1 << 63 : steps[step - 1]
    let shift = 63 - octave
    let value = scaled >> shift + (scaled & ((1 << shift) - 1) == 0 ? 0 : 1)
    return UInt32(clamping: value - 1)
  }

  /// The buckets of the positions 0, 1, 2 and so on: each is computed once.
  struct AscendingBuckets {
    private var position: UInt32 = 0
    private var bucket: UInt8 = 0
    private var last: UInt32 = 0

    /// The bucket of the next position; positions beyond 32 bits are in the bucket of the last 32-bit position.
    mutating func next() -> UInt8 {
      if position > last {
        bucket = PositionHistogram.bucket(of: position)
        // The first bucket that begins after the position ends this bucket, also if empty buckets are between them.
        var end = bucket
        while end < .max, PositionHistogram.firstPosition(in: end) <= position { end += 1 }
        last = end == .max ? position : PositionHistogram.firstPosition(in: end) - 1
      }
      if position < .max { position += 1 }
      return bucket
    }
  }

  /// Counts `position` `weight` times. A count that exceeds 64 bits is the largest number.
  package mutating func add(_ position: UInt32, weight: UInt64) {
    add(Bucket(number: Self.bucket(of: position), count: weight))
  }

  package mutating func add(_ other: PositionHistogram) {
    for bucket in other.buckets { add(bucket) }
  }

  mutating func add(_ bucket: Bucket) {
    // The bucket is searched from the end: there are few buckets, and the wanted bucket is often near the end.
    var place = buckets.count
    while place > 0, buckets[place - 1].number >= bucket.number { place -= 1 }
    if place < buckets.count, buckets[place].number == bucket.number {
      buckets[place].count.addSaturating(bucket.count)
    } else {
      buckets.insert(bucket, at: place)
    }
  }

  /// The number of positions.
  package var count: UInt64 {
    buckets.reduce(into: 0) { $0.addSaturating($1.count) }
  }

  /// The first position of the bucket with the lower median; `nil` without positions.
  package var median: UInt32? {
    let count = count
    let half = count / 2 + count % 2
    var sum: UInt64 = 0
    for bucket in buckets {
      sum.addSaturating(bucket.count)
      if sum >= half { return Self.firstPosition(in: bucket.number) }
    }
    return nil
  }

  /// The number of positions in buckets that end below `position`.
  package func count(below position: UInt32) -> UInt64 {
    let limit = Self.bucket(of: position)
    return buckets.reduce(0) { $1.number < limit ? $0 + $1.count : $0 }
  }
}
