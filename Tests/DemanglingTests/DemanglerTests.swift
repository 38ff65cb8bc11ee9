import Demangling
import ImageModel
import TestSupport
import Testing

@Suite struct DemanglingTests {
  static func demangle(_ name: String, _ mode: Demangler.Mode) -> String {
    Demangler(mode).demangle(SymbolName(name))
  }

  @Test(
    arguments: [
      // name, full, short
      ("main", "main", "main"), ("", "", ""), ("_Z", "_Z", "_Z"), ("i", "i", "i"),
      ("_R", "_R", "_R"), ("$s", "$s", "$s"),
      // C++.
      ("_ZN3app3runEi", "app::run(int)", "app::run"),
      ("__ZN3app3runEi", "app::run(int)", "app::run"),
      ("_Z3runIiET_S0_", "int run<int>(int)", "run<int>"),
      ("_ZNK3app1A1fEPFivE", "app::A::f(int (*)()) const", "app::A::f"),
      ("_ZN12_GLOBAL__N_13runEi", "(anonymous namespace)::run(int)", "(anonymous namespace)::run"),
      ("_ZN1AclEi", "A::operator()(int)", "A::operator()"),
      ("_ZN1AcviEv", "A::operator int()", "A::operator int"),
      ("_ZN1AltERKS_", "A::operator<(A const&)", "A::operator<"),
      ("_ZN1AptEv", "A::operator->()", "A::operator->"),
      ("_ZN1AnwEm", "A::operator new(unsigned long)", "A::operator new"),
      ("_ZlsIiEvT_S0_", "void operator<< <int>(int, int)", "operator<< <int>"),
      ("_ZTV3App", "vtable for App", "vtable for App"),
      ("_ZThn8_N3App3runEv", "non-virtual thunk to App::run()", "non-virtual thunk to App::run"),
      (
        "_ZZ3runvENKUliE_clEi", "run()::{lambda(int)#1}::operator()(int) const",
        "run()::{lambda(int)#1}::operator()"
      ),
      ("_ZN3app3runEi.cold", "app::run(int) [clone .cold]", "app::run [clone .cold]"),
      ("_ZN3app3runEi.llvm.12", "app::run(int) [clone .llvm.12]", "app::run"),
      (
        "_ZN3app3runEi.isra.0.cold", "app::run(int) [clone .isra.0] [clone .cold]",
        "app::run [clone .isra.0] [clone .cold]"
      ),
      ("_ZN3app3runEiTm", "merged app::run(int)", "merged app::run"),
      // Swift.
      ("$s3mrg2S0V4textSSvg", "mrg.S0.text.getter : Swift.String", "S0.text.getter"),
      ("_$s3mrg2S0V4textSSvg", "mrg.S0.text.getter : Swift.String", "S0.text.getter"),
      (
        "$s3mrg2S0V4textSSvgTm", "merged mrg.S0.text.getter : Swift.String",
        "merged S0.text.getter"
      ),
      (
        "$s3mrg3genySiSayxGAA1PRzlF", "mrg.gen<A where A: mrg.P>(Swift.Array<A>) -> Swift.Int",
        "gen(_:)"
      ),
      (
        "$s3mrg10asyncThingyS2iYaFTQ1_",
        "(2) await resume partial function for mrg.asyncThing(Swift.Int) async -> Swift.Int",
        "(2) await resume partial function for asyncThing(_:)"
      ),
      (
        "$s3mrg1AV1zSaySiGvM.resume.0",
        "mrg.A.z.modify : Swift.Array<Swift.Int> with unmangled suffix \".resume.0\"",
        "A.z.modify [clone .resume.0]"
      ),
      // An identifier contains a comma that no blank follows.
      ("$s3app1f2,:ySi_tF", "app.f(,:: Swift.Int) -> ()", "f(:)"),
      // Rust.
      (
        "_ZN4core3fmt5Write9write_fmt17ha895ff31def4cd70E", "core::fmt::Write::write_fmt",
        "core::fmt::Write::write_fmt"
      ),
      (
        "_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h4ccd6fe6a68f1c63E",
        "<&T as core::fmt::Debug>::fmt", "<&T as core::fmt::Debug>::fmt"
      ),
      (
        "_ZN1a28_$u7b$$u7b$closure$u7d$$u7d$17hcbe69001a6df8e06E.llvm.9",
        "a::{{closure}} [clone .llvm.9]", "a::{{closure}}"
      ),
      ("_RNvCs4T4zK9Otvt5_5names4main", "names::main", "names::main"),
      ("__RNvCs4T4zK9Otvt5_5names4main", "names::main", "names::main"),
      ("_RNvC1a1f.cold", "a::f [clone .cold]", "a::f [clone .cold]"),
      ("_RINvCsdSnYwkFIYsY_5names3arrKj3_EB2_", "names::arr::<3>", "names::arr::<3>"),
      (
        "_RNCINvNtCsjrHSEGnQ3l9_3std2rt10lang_startuE0Cs4T4zK9Otvt5_5names",
        "std::rt::lang_start::<()>::{closure#0}", "std::rt::lang_start::<()>::{closure#0}"
      ),
    ] as [(String, String, String)])
  func readsWhatAProgrammerWrote(name: String, full: String, short: String) {
    #expect(Self.demangle(name, .full) == full)
    #expect(Self.demangle(name, .short) == short)
    #expect(Self.demangle(name, .none) == name)
  }

  /// Return types that contain brackets. Versions of libstdc++ print them differently.
  @Test(arguments: [
    "_ZN3app3runIiEENSt9enable_ifIXgtsZT_Li1EEiE4typeEDpRKT_", "_ZN3app3runIiEEDTfp_ET_",
    "_ZN3app3runIiEEDcT_",
  ])
  func aReturnTypeWithBracketsIsLeftOut(name: String) {
    #expect(Self.demangle(name, .full).hasSuffix(")"))
    #expect(Self.demangle(name, .short) == "app::run<int>")
  }

  /// Examples from RFC 2603 and from the tests of rustc's demangler, by feature.
  @Test(
    arguments: [
      ("_RNvC6_123foo3bar", "123foo::bar"),
      (
        "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
        "utf8_idents::საჭმელად_გემრიელი_სადილი"
      ),
      ("_RNvNtCshhNdl82Kjmm_1g2inu9gre_6ka8i", "g::in::größe"),
      ("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"),
      (
        "_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
        "<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::<core::slice::memchr::memrchr::{closure#1}>::{closure#0}"
      ),
      (
        "_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
        "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"
      ),
      ("_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E", "<const_generic::Unsigned<11>>"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKs98_E", "<const_generic::Signed<152>>"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKanb_E", "<const_generic::Signed<-11>>"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_4BoolKb0_E", "<const_generic::Bool<false>>"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc76_E", "<const_generic::Char<'v'>>"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKca_E", "<const_generic::Char<'\\n'>>"),
      ("_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc2202_E", "<const_generic::Char<'∂'>>"),
      (
        "_RNvNvMCs4fqI2P2rA04_13const_genericINtB4_3FooKpE3foo3FOO",
        "<const_generic::Foo<_>>::foo::FOO"
      ),
      ("_RC3foo.llvm.9D1C9369@@16", "foo [clone .llvm.9D1C9369@@16]"),
      ("_RINvC1a1fFG_RL0_hEuE", "a::f::<for<'a> fn(&'a u8)>"),
      ("_RINvC1a1fFUKCKj_E", "_RINvC1a1fFUKCKj_E"),
      ("_RINvC1a1fFUKClEuE", "a::f::<unsafe extern \"C\" fn(i32)>"),
      ("_RINvC1a1fFK8C_unwindlEmE", "a::f::<extern \"C-unwind\" fn(i32) -> u32>"),
      ("_RINvC1a1fTlEE", "a::f::<(i32,)>"), ("_RINvC1a1fTlmEE", "a::f::<(i32, u32)>"),
      ("_RINvC1a1fTEE", "a::f::<()>"), ("_RINvC1a1fAlj3_E", "a::f::<[i32; 3]>"),
      ("_RINvC1a1fQSlE", "a::f::<&mut [i32]>"), ("_RINvC1a1fPlOlE", "a::f::<*const i32, *mut i32>"),
      ("_RINvC1a1fKRe616263_E", "a::f::<\"abc\">"),
      ("_RINvC1a1fKVNtC1a1SUE", "a::f::<{a::S}>"),
      ("_RINvC1a1fKVNtC1a1STj1_j2_EE", "a::f::<{a::S(1, 2)}>"),
      ("_RINvC1a1fKVNtC1a1SS1xj1_EE", "a::f::<{a::S { x: 1 }}>"),
      ("_RINvC1a1fKj10000000000000000_E", "a::f::<0x10000000000000000>"),
      ("_RINvC1a1fDNtC1a1TEL_E", "a::f::<dyn a::T>"),
      ("_RNSNvC1a1f6vtableB3_", "a::f::{shim:vtable#0}"),
      ("_RNSNvC1a1f6vtableC1a", "a::f::{shim:vtable#0}"),
      // Not well-formed.
      ("_RNvC1a", "_RNvC1a"), ("_RNvC9a1f", "_RNvC9a1f"), ("_RNvB9_1f", "_RNvB9_1f"),
      ("_RNvB_1f", "_RNvB_1f"), ("_RNvC1a1fxyz", "_RNvC1a1fxyz"),
      ("_RNvCszzzzzzzzzzzzz_1a1f", "_RNvCszzzzzzzzzzzzz_1a1f"),
      ("_RNvC99999999999999999999991a1f", "_RNvC99999999999999999999991a1f"),
      ("_RINvC1a1fFGzzzzzzz_uEuE", "_RINvC1a1fFGzzzzzzz_uEuE"),
      ("_RINvC1a1fKcd800_E", "_RINvC1a1fKcd800_E"), ("_RINvC1a1fKb2_E", "_RINvC1a1fKb2_E"),
      ("_RINvC1a1fKRe6_E", "_RINvC1a1fKRe6_E"), ("_RINvC1a1fKReff_E", "_RINvC1a1fKReff_E"),
    ] as [(String, String)])
  func readsRustNamesByTheirGrammar(name: String, expected: String) {
    #expect(Self.demangle(name, .full) == expected)
  }

  @Test func aRustNameThatDoublesItsTextForEverReturns() {
    // The first type is (u8, u8), and each further type is a pair of the type before: the 40th type has 2^40 parts.
    var types = "ThhE"
    var last = "INvC1a1f".utf8.count
    for _ in 1..<40 {
      let pair = "TB\(base62(last))_B\(base62(last))_E"
      last = "INvC1a1f".utf8.count + types.utf8.count
      types += pair
    }
    let name = "_RINvC1a1f\(types)E"
    #expect(Self.demangle(name, .full) == name)
    let few = "_RINvC1a1fThhETB7_B7_EE"
    #expect(Self.demangle(few, .full) == "a::f::<(u8, u8), ((u8, u8), (u8, u8))>")
    // The name is nested deeper than names of any program.
    let deep = "_RINvC1a1f" + String(repeating: "R", count: 100_000) + "hE"
    #expect(Self.demangle(deep, .full) == deep)
    let wide = "_RINvC1a1f" + String(repeating: "h", count: 100_000) + "E"
    #expect(Self.demangle(wide, .full) == wide)
  }

  @Test(arguments: [
    ("_Z1f", "P", "i", ""), ("_Z1f", "PF", "vE", ""), ("_Z1f", "1AI", "i", "E"),
    ("_ZN", "1A", "E", ""), ("$s4main1fyy", "Say", "Si", "G"), ("$s4main1fyy", "y", "S", "Xm"),
    ("$s", "4main", "V", ""), ("_ZN1a", "2..", "17h0123456789abcdefE", ""),
  ])
  func namesNestedDeeperThanAnyProgramNeverTrap(
    prefix: String, opening: String, middle: String, closing: String
  ) {
    for depth in [100, 1000, 30_000] {
      let name =
        prefix + String(repeating: opening, count: depth) + middle
        + String(repeating: closing, count: depth)
      #expect(!Self.demangle(name, .short).isEmpty)
      #expect(!Self.demangle(name + "F", .full).isEmpty)
      _ = CanonicalName(SymbolName(name))
    }
  }

  /// Returns a position in the form that back references use: 0 is empty, 1 is `0`, 62 is `Z`, 63 is `10`.
  private func base62(_ position: Int) -> String {
    guard position > 0 else { return "" }
    let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    var value = position - 1
    var digits: [Character] = []
    repeat {
      digits.insert(alphabet[value % 62], at: 0)
      value /= 62
    } while value > 0
    return String(digits)
  }

  @Test func namesThatAreNoTextComeBackReadable() {
    let name = SymbolName(bytes: [0x5f, 0x5a, 0x31, 0x66, 0x76, 0, 0xff])
    #expect(Demangler(.full).demangle(name) == "_Z1fv\u{0}\u{fffd}")
    #expect(Self.demangle("_ZN1a1\u{e9}E", .full) == "_ZN1a1\u{e9}E")
  }

  static let realNames = [
    "$s3mrg2S0V10CodingKeys33_45A1F4AAC7E94143D4754ADF6F644517LLOs0C3KeyAAsAGP11stringValuexSgSS_tcfCTW",
    "$s3mrg2E0Os12CaseIterableAAsADP8allCases03AllF0QzvgZTWTm",
    "$s3mrg2S0VSHAASH4hash4intoys6HasherVz_tFTW",
    "$s3mrg11asyncThing2yS2iYaKFTY1_",
    "_ZNSt6vectorISt4pairIKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiESaIS8_EE17_M_realloc_insertIJRS6_iEEEvN9__gnu_cxx17__normal_iteratorIPS8_SA_EEDpOT_",
    "_ZZN5swift9GenericIDIZNS_3runEvE3$_0EclEv.llvm.1234",
    "_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h20301a8a2ec0913eE",
    "_RINvMs6_NtCsgvbsrvnw3yD_9hashbrown3rawINtB6_8RawTableTNtNtCslNYArtu3iFV_5alloc6string6StringINtNtBU_3vec3VecINtNtCsgEmfK2I1SDS_4core6option6OptionReEEEE14reserve_rehashNCINvNtB8_3map11make_hasherBQ_B1s_NtNtNtCsjrHSEGnQ3l9_3std4hash6random11RandomStateE0ECsdSnYwkFIYsY_5names",
  ]

  @Test(.needs(.time), arguments: realNames)
  func truncatedAndDamagedNamesNeverTrap(name: String) {
    let bytes = Array(name.utf8)
    for mode in [Demangler.Mode.short, .full] {
      let demangler = Demangler(mode)
      for length in hostilePrefixLengths(of: bytes) {
        _ = demangler.demangle(SymbolName(bytes: bytes[..<length]))
      }
      for damaged in byteFlips(of: bytes) { _ = demangler.demangle(SymbolName(bytes: damaged)) }
    }
    _ = CanonicalName(SymbolName(name))
  }

  @Test func randomBytesBehindEachPrefixNeverTrap() {
    var random = SeededRandom(seed: 5)
    let alphabet = Array("NvCMXYIBLKRQPOATSFDGUEsu_0123456789abcdefgpTmSV$.<>()@Z".utf8)
    for prefix in ["_R", "_RINvC1a1f", "_Z", "_ZN", "_Z1fI", "$s", "$S", "$e", "$s4main"] {
      for _ in 0..<1500 {
        let rest = (0..<Int.random(in: 0...60, using: &random)).map { _ in
          alphabet.randomElement(using: &random) ?? 0
        }
        let name = SymbolName(bytes: Array(prefix.utf8) + rest)
        _ = Demangler(.short).demangle(name)
        _ = CanonicalName(name)
      }
    }
  }

  /// In Mach-O the first underscore belongs to the format, in ELF to the name itself.
  @Test(
    arguments: [
      ("__ZN3app5parseEi", "app::parse(int)", "__ZN3app5parseEi"),
      ("_ZN3app5parseEi", "_ZN3app5parseEi", "app::parse(int)"),
      ("_$s4main3fooyyF", "main.foo() -> ()", "_$s4main3fooyyF"),
      ("$s4main3fooyyF", "$s4main3fooyyF", "main.foo() -> ()"),
      ("__RNvC1a3foo", "a::foo", "__RNvC1a3foo"), ("_RNvC1a3foo", "_RNvC1a3foo", "a::foo"),
      (
        "__ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write",
        "__ZN4core3fmt5write17h0123456789abcdefE"
      ),
      ("_main", "_main", "_main"), ("-[Foo bar:]", "-[Foo bar:]", "-[Foo bar:]"),
      ("_", "_", "_"), ("__", "__", "__"),
    ])
  func theImagesFormatTellsWhoseTheUnderscoreIs(name: String, machO: String, elf: String) {
    #expect(Demangler(.full, of: .machO).demangle(SymbolName(name)) == machO)
    #expect(Demangler(.full, of: .elf).demangle(SymbolName(name)) == elf)
    let guess = Demangler(.full).demangle(SymbolName(name))
    #expect(guess == (machO == name ? elf : machO), "without a format, whatever can be read is")
  }
}
