import Demangling
import Testing

@Suite struct SwiftNameFormTests {
  static let hash = (a: "5B37C2F0A9D14E6C8B1F02D3E4A59687", b: "0123456789ABCDEF0123456789ABCDEF")

  private func text(_ name: String, _ form: SwiftNameForm) -> String? {
    form.text(ofMangled: Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func theHashOfAFileIsLeftOut() {
    let names = [Self.hash.a, Self.hash.b].map { "$s3app4load33_\($0)LLyyF" }
    for name in names + names.map({ "_\($0)" }) + [names[0] + ".llvm.12"] {
      #expect(text(name, .withoutHashes) == "app.(load)() -> ()")
      #expect(text(name, .withoutNumbers) == "app.(load)() -> ()")
    }
  }

  @Test func theNumbersOfClosuresAndLocalFunctionsAreLeftOut() {
    #expect(text("$s3app4loadyyFyycfU_", .withoutHashes) == nil)
    let closures = ["$s3app4loadyyFyycfU_", "$s3app4loadyyFyycfU0_", "$s3app4loadyyFyycfU10_"]
    for name in closures {
      #expect(text(name, .withoutNumbers) == "closure # () -> () in app.load() -> ()")
    }
    #expect(
      text("$s3app4loadyyF3rowL_yyF", .withoutNumbers) == "row # () -> () in app.load() -> ()")
    let inPrivate = "$s3app4load33_\(Self.hash.a)LLyyFyycfU0_"
    #expect(text(inPrivate, .withoutHashes) == "closure #2 () -> () in app.(load)() -> ()")
  }

  /// The names of one function in two builds; the second build has one more closure before it.
  @Test(arguments: [
    (
      "5Int32VAE_A2EXEtF020$e4Feed9feedStartys5I13VADFA2DXEfU0_AETf1nc_n",
      "5Int32VAE_A2EXEtF020$e4Feed9feedStartys5I13VADFA2DXEfU1_AETf1nc_n"
    ),
    (
      "5Int32VAE_A2EXEtF020$e4Feed9feedStartys5i15VADFA2DXEfU0_A2N2U_AETf1nc_n",
      "5Int32VAE_A2EXEtF020$e4Feed9feedStartys5i15VADFA2DXEfU1_A2N2U_AETf1nc_n"
    ),
  ])
  func theNumbersOfClosuresForWhichAFunctionIsSpecializedAreLeftOut(_ name: (String, String)) {
    let start = "$e4Feed5apply33_DB5ACD16BCB416B073F99938EF47223ELLys"
    let forms = [name.0, name.1].map { text(start + $0, .withoutNumbers) }
    #expect(forms[0] != nil && forms[0] == forms[1])
    #expect(text(start + name.0, .withoutHashes) != text(start + name.1, .withoutHashes))
    #expect(forms[0]?.contains("in Feed.feedStart(Swift.Int32)") ?? false, "\(forms)")
  }

  @Test(
    arguments: [
      "$s3app4loadyyF", "main", "", "_", "$s", "_Z4loadv", "_RNvC3app4load", "$s3app4load33_XLLyyF",
      "$s3app4load33_5B37C2F0A9D14E6C8B1F02D3E4A5968LLyyF", "$sLL", "$s3app4loadyyFTm",
    ])
  func otherNamesHaveNoSuchForm(name: String) {
    #expect(text(name, .withoutHashes) == nil)
    #expect(text(name, .withoutNumbers) == nil)
  }
}
