import ByteReading
import Projects
import TestSupport
import Testing

/// What `doctor` says about huge pages for code.
@Suite struct HugePageFactsTests {
  @Test func theChosenWordIsInBrackets() {
    #expect(HugePageFacts.chosen(Array("always [madvise] never\n".utf8)) == "madvise")
    #expect(HugePageFacts.chosen(Array("[".utf8)) == "")
    #expect(HugePageFacts.chosen([]) == nil)
  }

  @Test(arguments: [
    ("CONFIG_A=y\nCONFIG_READ_ONLY_THP_FOR_FS=y\n", true),
    ("# CONFIG_READ_ONLY_THP_FOR_FS is not set\n", false), ("", nil),
  ])
  func theKernelsOptionIsInItsConfiguration(config: String, expected: Bool?) {
    #expect(HugePageFacts.joinsFilePages(Array(config.utf8)) == expected)
  }

  @Test(arguments: [
    (HugePageFacts(bytes: nil), "none: the kernel has no transparent huge pages"),
    (
      HugePageFacts(
        bytes: 2 << 20, setting: "madvise", joinsFilePages: false, fileSystem: "ext4",
        code: .init(alignment: 4096, wholePages: 0)),
      "2048 KiB, transparent huge pages madvise, ext4 without CONFIG_READ_ONLY_THP_FOR_FS, code aligned to 4 KiB: 0 whole huge pages"
    ),
    (
      HugePageFacts(
        bytes: 2 << 20, setting: "always", sharedMemorySetting: "never", fileSystem: "tmpfs"),
      "2048 KiB, transparent huge pages always, tmpfs with shmem_enabled never"
    ),
    (
      HugePageFacts(bytes: 2 << 20),
      "2048 KiB, transparent huge pages unknown, unknown file system unknown whether with CONFIG_READ_ONLY_THP_FOR_FS"
    ),
  ])
  func theFindingNamesAllConditions(facts: HugePageFacts, finding: String) {
    #expect(facts.finding.finding == finding && facts.finding.severity == .ok)
  }

  @Test func anImageOfOrdinaryAlignmentHasNoWholeHugePage() throws {
    let image = FileBytes(sampleImage(["main"], id: [1]))
    #expect(HugePageFacts.Code(of: image, pageBytes: 2 << 20)?.wholePages ?? 0 == 0)
    #expect(HugePageFacts.Code(of: FileBytes(Array("text".utf8)), pageBytes: 2 << 20) == nil)
    for copy in byteFlips(of: sampleImage(["main"], id: [1])) {
      _ = HugePageFacts.Code(of: FileBytes(copy), pageBytes: 2 << 20)
    }
  }
}
