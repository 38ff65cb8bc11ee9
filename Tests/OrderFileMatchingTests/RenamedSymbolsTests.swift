import ImageModel
import ModelSamples
import OrderFileMatching
import Testing

/// The present names of functions with older names.
@Suite struct RenamedSymbolsTests {
  @Test func aThunkAndItsNumberedCloneAreTwoFunctions() {
    let closure = "$s10VLLMBridge19vsm_engine_head_dimys5Int32VSvSgFADyXEf"
    let layout = elfLayout(["U_", "U_TA", "U_TA.6"].map { closure + $0 })
    for (before, now) in [("U7_TA", "U_TA"), ("U7_TA.6", "U_TA.6"), ("U7_", "U_")] {
      var renamed = RenamedSymbols(in: [layout], listed: [])
      let names = renamed.presentNames(of: SymbolName(closure + before))
      #expect(names == [SymbolName(closure + now)])
    }
  }

  @Test func aFunctionSpecializedForARenumberedClosureIsFound() {
    let start = "$e4Feed5apply33_DB5ACD16BCB416B073F99938EF47223ELLys5Int32VAE_A2EXEtF020$e4Feed"
    let endings = [
      "9feedStartys5I12VADFA2DXEfU_Tf1nc_n", "9feedStartys5I13VADFA2DXEfU0_Tf1nc_n",
      "9feedStartys5I13VADFA2DXEfU1_AETf1nc_n", "9feedStartys5i15VADFA2DXEfU1_A2N2U_AETf1nc_n",
    ]
    let layout = elfLayout(endings.map { start + $0 })
    for (before, now) in [
      ("9feedStartys5I13VADFA2DXEfU0_AETf1nc_n", 2),
      ("9feedStartys5i15VADFA2DXEfU0_A2N2U_AETf1nc_n", 3),
    ] {
      var renamed = RenamedSymbols(in: [layout], listed: [])
      let names = renamed.presentNames(of: SymbolName(start + before))
      #expect(names == [SymbolName(start + endings[now])])
    }
  }
}
