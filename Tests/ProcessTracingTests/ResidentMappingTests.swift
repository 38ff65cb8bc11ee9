import Addresses
import Foundation
import ProcessLaunch
import ProcessTracing
import TestSupport
import Testing

/// The contents of `/proc/PID/smaps`, as the kernel writes them and damaged.
@Suite struct ResidentMappingTests {
  private static let text = """
    55d000000000-55d000002000 r--p 00000000 fe:00 12    /usr/bin/app
    Size:                  8 kB
    Rss:                   8 kB
    Pss:                   4 kB
    Anonymous:             0 kB
    VmFlags: rd mr mw me
    55d000002000-55d000010000 r-xp 00002000 fe:00 12    /usr/bin/app
    Rss:                  40 kB
    Pss:                  40 kB
    Anonymous:             4 kB
    55d000010000-55d000012000 r--p 00010000 fe:00 12    /usr/bin/app
    Rss:                   8 kB
    Pss:                   8 kB
    Anonymous:             8 kB
    55d000012000-55d000013000 rw-p 00012000 fe:00 12    /usr/bin/app
    Rss:                   4 kB
    Pss:                   4 kB
    Anonymous:             4 kB
    55d000013000-55d000015000 rw-p 00000000 00:00 0
    Rss:                   4 kB
    Pss:                   4 kB
    Anonymous:             4 kB
    55d000015000-55d000036000 rw-p 00000000 00:00 0     [heap]
    Rss:                  12 kB
    Pss:                  12 kB
    Anonymous:            12 kB
    7f0000000000-7f0000002000 rw-p 00000000 00:00 0
    Rss:                   8 kB
    Pss:                   8 kB
    Anonymous:             8 kB

    """

  private static let mappings = ResidentMapping.mappings(in: Array(text.utf8))

  @Test func eachMappingHasItsAmounts() {
    let mappings = Self.mappings
    #expect(mappings.map(\.bytes) == [8, 40, 8, 4, 4, 12, 8].map { $0 << 10 })
    #expect(mappings.map(\.sharedOutBytes).first == 4 << 10)
    #expect(mappings.map(\.copiedBytes) == [0, 4, 8, 4, 4, 12, 8].map { $0 << 10 })
    #expect(mappings.map(\.name).suffix(3) == ["", "[heap]", ""])
    let process = ProcessResidency(processNumber: 1, peakBytes: nil, mappings: mappings)
    #expect(process.bytes == 84 << 10 && process.sharedOutBytes == 80 << 10)
  }

  @Test func memoryOfTheKernelDoesNotCount() {
    let text =
      Self.text + "ffffffffff600000-ffffffffff601000 --xp 0 00:00 0  [vsyscall]\nRss: 0 kB\n"
    #expect(ResidentMapping.mappings(in: Array(text.utf8)) == Self.mappings)
  }

  @Test func thePartsOfAnImageAreToldByTheirAccess() throws {
    let image = try #require(ImageResidency(of: "/usr/bin/app", in: Self.mappings))
    #expect(image[.readOnly] == .init(bytes: 8 << 10, sharedOutBytes: 4 << 10))
    // A page with a breakpoint or a text relocation is a copy, and still code.
    #expect(image[.code].bytes == 40 << 10)
    #expect(image[.relocated].bytes == 8 << 10)
    #expect(image[.data].bytes == 4 << 10)
    // Neither the heap nor other memory belongs to the image.
    #expect(image[.zeroFilled].bytes == 4 << 10)
    #expect(image.bytes == 64 << 10 && image.sharedOutBytes == 60 << 10)
  }

  @Test func anImageThatIsNotMappedHasNoMemory() {
    #expect(ImageResidency(of: "/usr/bin/other", in: Self.mappings) == nil)
    #expect(ImageResidency(of: "", in: []) == nil)
  }

  @Test func damagedTextNeverTrapsHostile() {
    let bytes = Array(Self.text.utf8)
    for length in hostilePrefixLengths(of: bytes) {
      _ = ResidentMapping.mappings(in: Array(bytes[..<length]))
    }
    for copy in byteFlips(of: bytes) {
      _ = ImageResidency(of: "/usr/bin/app", in: ResidentMapping.mappings(in: copy))
    }
    let large = "1000-2000 r--p 0 0:0 1 /a\nRss: 18446744073709551615 kB\nRss: -1 kB\nPss:\n"
    #expect(ResidentMapping.mappings(in: Array(large.utf8)).map(\.bytes) == [0])
    #expect(ResidentMapping.mappings(in: Array("Rss: 4 kB\n".utf8)).isEmpty)
  }
}
