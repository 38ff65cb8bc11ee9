/// The folders of `Tests/Fixtures/linkmap` that hold the `input.map` of an ELF linker.
package let elfLinkMapFixtures = [
  "lld-elf-aarch64-thunks", "lld-elf-basic", "lld-elf-cxx-weirdnames", "lld-elf-icf",
  "lld-elf-names-with-tab-newline", "lld-elf-swift", "lld-elf-swiftpm-release-ordered",
  "lld-elf-thinlto", "bfd-cxx", "bfd240-gc", "bfd240-names-with-tab-newline",
  "bfd244-section-ordering-file", "gold-cxx", "gold-icf", "gold-ordered", "mold237-cxx",
  "mold237-icf",
]

/// The folders that hold the `input.map` of a Mach-O linker.
package let machOLinkMapFixtures = [
  "lld-macho-alias", "lld-macho-altentry", "lld-macho-arm64-deadstrip", "lld-macho-fulllto",
  "lld-macho-icf", "lld-macho-longstring-nonutf8path", "lld-macho-names-with-tab-newline",
  "lld-macho-objc", "lld-macho-sancov", "lld-macho-thinlto", "lld-macho-thunks",
  "lld-macho-x86_64", "ld64-classic-by-hand",
]

/// Returns `text` with a carriage return before each line feed.
package func withCarriageReturns(_ text: [UInt8]) -> [UInt8] {
  text.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
}

package let linkMapFixtures = elfLinkMapFixtures + machOLinkMapFixtures
