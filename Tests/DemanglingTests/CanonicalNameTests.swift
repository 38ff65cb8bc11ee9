import Demangling
import ImageModel
import TestSupport
import Testing

@Suite struct CanonicalNameTests {
  @Test(
    arguments: [
      // Nothing to cut.
      ("main", "main", .whole, []),
      ("", "", .whole, []), (".", ".", .whole, []), (".1", ".1", .whole, []),
      (".cold", ".cold", .whole, []), ("5", "5", .whole, []), ("@V", "@V", .whole, []),
      ("foo.", "foo.", .whole, []), ("foo..", "foo..", .whole, []), ("f42", "f42", .whole, []),
      ("foo.avx2", "foo.avx2", .whole, []), ("foo.resolver", "foo.resolver", .whole, []),
      ("foo.llvm", "foo.llvm", .whole, []), ("foo.part", "foo.part", .whole, []),
      ("foo@plt", "foo@plt", .whole, []), ("icold", "icold", .whole, []),
      // One suffix.
      ("hid.llvm.9691627192186351142", "hid", .whole, .promotion),
      ("_ZL3hidi.__uniq.243080359227230825808916594530478023485", "_ZL3hidi", .whole, .promotion),
      ("f.content.12", "f", .whole, .promotion), ("hid.lto_priv.0", "hid", .whole, .promotion),
      ("st.1", "st", .whole, .number), ("a.1", "a", .whole, .number),
      ("f.isra.0", "f", .whole, .isra), ("f.constprop.12", "f", .whole, .constantPropagation),
      ("f.localalias", "f", .whole, .localAlias), ("f.localalias.4", "f", .whole, .localAlias),
      ("f.specialized.1", "f", .whole, .clone), ("f.argprom", "f", .whole, .clone),
      ("f@V1", "f", .whole, .version), ("f@@LIBX_1.2", "f", .whole, .version),
      ("f.part.3", "f", .partial, .partial), ("main.cold", "main", .cold, .cold),
      ("main.cold.1", "main", .cold, .cold), ("f.Tgm", "f", .mergedBody, .merged),
      ("f.cfi", "f", .whole, .controlFlowIntegrity),
      ("f.cfi_jt", "f", .whole, .controlFlowIntegrity),
      ("f.cfi.1", "f", .whole, [.number, .controlFlowIntegrity]),
      ("f.cfi_check", "f.cfi_check", .whole, []),
      ("f.0e5be163810b03ec1e6a68c783e08170", "f", .whole, .promotion),
      ("f$bd88d7560196dc33da1d1c2adca6a1d4", "f", .whole, .promotion),
      (
        "f.0e5be163810b03ec1e6a68c783e0817", "f.0e5be163810b03ec1e6a68c783e0817", .whole, []
      ),
      // Several.
      ("f.4.cfi", "f", .whole, [.number, .controlFlowIntegrity]),
      (
        "f.0e5be163810b03ec1e6a68c783e08170.cfi", "f", .whole, [.promotion, .controlFlowIntegrity]
      ),
      ("isr.constprop.0.isra.0", "isr", .whole, [.constantPropagation, .isra]),
      ("f.isra.0.cold", "f", .cold, [.isra, .cold]),
      ("f.part.0.cold", "f", .cold, [.partial, .cold]),
      ("f.part.0.constprop.0", "f", .partial, [.partial, .constantPropagation]),
      ("_ZL1fv.__uniq.12.llvm.34.cold.1", "_ZL1fv", .cold, [.promotion, .cold]),
      ("f.1.llvm.5", "f", .whole, [.number, .promotion]),
      // The number distinguishes parts of a function, so it is kept.
      ("f.resume.0", "f.resume.0", .whole, []), ("f._omp_fn.1", "f._omp_fn.1", .whole, []),
      ("f.__part.2", "f.__part.2", .whole, []),
      ("f.resume.0.llvm.3", "f.resume.0", .whole, .promotion),
      ("__cxx_global_var_init.12", "__cxx_global_var_init.12", .whole, []),
      // Swift.
      ("$s3mrg2B0C1sSSvgTm", "$s3mrg2B0C1sSSvg", .mergedBody, .merged),
      ("_$s3mrg2B0C1sSSvgTm", "_$s3mrg2B0C1sSSvg", .mergedBody, .merged),
      ("$s3mrg2B0C1sSSvgTm.cold.1", "$s3mrg2B0C1sSSvg", .cold, [.merged, .cold]),
      ("$s1a1bSiyYaFTQ1_", "$s1a1bSiyYaFTQ1_", .whole, []),
      ("$s1a1bSiyYaFTY0_", "$s1a1bSiyYaFTY0_", .whole, []),
      ("$s1a1fyyFTf4nd_n", "$s1a1fyyFTf4nd_n", .whole, []),
      ("$s1a1vSivM.resume.0", "$s1a1vSivM.resume.0", .whole, []),
      ("_ZN1A4pushEPiTm", "_ZN1A4pushEPi", .mergedBody, .merged), ("setTm", "setTm", .whole, []),
      // Rust.
      (
        "_ZN4core3fmt5Write9write_fmt17ha895ff31def4cd70E", "_ZN4core3fmt5Write9write_fmt", .whole,
        .rustHash
      ),
      (
        "_ZN4core3fmt5Write9write_fmt17ha895ff31def4cd70E.llvm.7",
        "_ZN4core3fmt5Write9write_fmt", .whole, [.rustHash, .promotion]
      ),
      ("_ZN4core3fmt17ha895ff31def4cdE", "_ZN4core3fmt17ha895ff31def4cdE", .whole, []),
      ("_RNvCs1234_5crate3foo", "crate::foo", .whole, .rustHash),
      ("_RNvCsaZ09_5crate3foo.llvm.99", "crate::foo", .whole, [.rustHash, .promotion]),
      ("_Reset", "_Reset", .whole, []), ("_R", "_R", .whole, []),
    ] as [(String, String, NamedPart, CanonicalName.Cuts)])
  func cutsWhatABuildMayChange(
    name: String, base: String, part: NamedPart, cuts: CanonicalName.Cuts
  ) {
    let canonical = CanonicalName(SymbolName(name))
    #expect(String(decoding: canonical.base, as: UTF8.self) == base, "\(name)")
    #expect(canonical.part == part, "\(name)")
    #expect(canonical.cuts == cuts, "\(name)")
  }

  @Test func backReferencesOfRustNamesDoNotDependOnTheLengthOfHashes() {
    // These are the names of one generic function in two builds: all back references after the hash have changed.
    let short = CanonicalName("_RINvCs1_5names3arrKj3_EB2_")
    let long = CanonicalName("_RINvCslfkicm2tO2F_5names3arrKj3_EB2_")
    #expect(short == long)
    let pair = "_RINvCs%_5names3genINtB2_3FoohETlReEEB2_"
    let a = CanonicalName(SymbolName(pair.replacing("%", with: "dSnYwkFIYsY")))
    let b = CanonicalName(SymbolName(pair.replacing("%", with: "7")))
    #expect(a == b)
    #expect(a != short)
  }

  @Test func randomBytesAndDamagedNamesAreCutWithoutATrap() {
    let seed: UInt64 = 11
    var random = SeededRandom(seed: seed)
    let alphabet = Array(".@_$sTmE0123456789abcdefcoldparthZNR17\u{0}\u{ff}".utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let canonical = CanonicalName(SymbolName(bytes: bytes))
      // A base is never empty, and without a Rust path it is the beginning of the name.
      #expect(canonical.base.isEmpty == bytes.isEmpty, "seed \(seed): \(bytes)")
      if !canonical.cuts.contains(.rustHash) {
        #expect(bytes.starts(with: canonical.base), "seed \(seed): \(bytes)")
      }
    }
  }
}
