// The hash of the functions and data that a launch used. It decides which launches a profile keeps, so it is part of
// the format: a state of 64 bits, into which each number is mixed by the finalizer of splitmix64 (Steele, Lea, Flood
// 2014). For each used image, in the order of the profile, the numbers are: the bytes of its key, each as a number, and
// -1; then for each used function its address, the offset and size of each block that ran, and the number of these
// blocks. After all functions, the images with touched data and these data follow in the same form, with -2 instead of
// -1. Names, times and paths of images with an ID are left out: they may differ between recordings of the same code.

import Addresses
import ImageModel

/// A hash that grows number by number.
struct GrowingHash {
  private(set) var value: UInt64 = 0x4f46_5052_4f46_0001

  mutating func add(_ number: UInt64) {
    var mixed = (value ^ number) &+ 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    value = mixed ^ mixed >> 31
  }

  /// - Parameter isData: whether the data of `image` follow, or its functions.
  mutating func add(_ image: Profile.Image, isData: Bool) {
    for byte in image.key.bytes { add(UInt64(byte)) }
    add(isData ? .max - 1 : .max)
  }

  /// - Parameter blocks: in the order of their first uses.
  mutating func add(_ address: StatedAddress, blocks: some Sequence<FunctionBlock>) {
    add(address.rawValue)
    var count: UInt64 = 0
    for block in blocks {
      add(block.offset)
      add(block.size)
      count += 1
    }
    add(count)
  }
}
