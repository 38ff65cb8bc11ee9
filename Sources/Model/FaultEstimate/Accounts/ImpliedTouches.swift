// The implied touches of a launch
//
// A trace names functions. It does not name the entry of the procedure linkage table through which one of
// them calls `malloc`, the merged body to which another only jumps, or the table of constants that a third
// reads. Nor does it name the code that runs before the first function and after the last one. `LaunchFacts` states
// what each instruction refers to. This code follows these references: each executed range of bytes, earliest first,
// adds what its instructions touch. Code that is executed in this way adds its own references.
//
//     executed        an instruction in it        adds
//     main            call puts@plt               puts@plt
//     one             jmp bodyTm                  bodyTm, and with it ...
//     bodyTm          call malloc@plt             malloc@plt
//
// What it leaves out: functions that an executed function calls. Without a run it is unknown whether the call is
// reached. If it is reached, the callee was recorded, provided that the callee is instrumented. Entries of linkage
// tables are called from many places, and are on few pages: there the same error is small. Calls through pointers are
// not followed.

import Addresses
import ImageModel

extension LaunchFacts {
  /// Returns the touches in addition to the ranges in `executed`, with the step of each first touch, ascending by step.
  /// Bytes that are touched for several causes are listed once for each cause.
  ///
  /// - Parameters:
  ///   - executed: the executed ranges, ascending by step.
  ///   - stepCount: the number of steps. What is touched at the end of a launch is touched in the last step. Without
  ///     steps, nothing is touched.
  /// - Complexity: O((*e* + *r*) log *r*) for *e* executed ranges and *r* references.
  func touches(
    executing executed: [(step: Int, bytes: AddressRange)], stepCount: Int
  ) -> [(step: Int, touch: Touch)] {
    guard stepCount > 0 else { return [] }
    var found: [(step: Int, touch: Touch)] = []
    var seen: Set<Touch> = []
    var pending: [AddressRange] = []
    // For each reference, the index of the next reference that was not followed yet, possibly its own index.
    var next = Array(references.indices) + [references.count]

    func unfollowed(_ start: Int) -> Int {
      var index = start
      while next[index] != index {
        next[index] = next[next[index]]
        index = next[index]
      }
      return index
    }
    func add(_ touch: Touch, _ step: Int) {
      guard seen.insert(touch).inserted else { return }
      found.append((step: step, touch: touch))
      if touch.cause.isExecuted { pending.append(touch.bytes) }
    }
    func follow(_ bytes: AddressRange, _ step: Int) {
      pending.append(bytes)
      while let bytes = pending.popLast() {
        var index = unfollowed(firstReference(notBelow: bytes.start))
        while index < references.count, references[index].site < bytes.end {
          add(references[index].touch, step)
          next[index] = index + 1
          index = unfollowed(index + 1)
        }
      }
    }

    for touch in atStart {
      add(touch, 0)
      while let bytes = pending.popLast() { follow(bytes, 0) }
    }
    for range in executed { follow(range.bytes, range.step) }
    for touch in atEnd {
      add(touch, stepCount - 1)
      while let bytes = pending.popLast() { follow(bytes, stepCount - 1) }
    }
    return found
  }

  private func firstReference(notBelow address: StatedAddress) -> Int {
    references.partitioningIndex { $0.site >= address }
  }
}
