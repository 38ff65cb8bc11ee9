import Demangling
import ImageModel
import Testing

@Suite struct ModuleNameTests {
  @Test(
    arguments: [
      ("$s4main5parseyyF", "main"), ("_$s4main5parseyyF", "main"), ("$ss5printyyF", "Swift"),
      ("$sSo6FILEVMa", nil), ("$s0a1B1CV", nil), ("_ZN3foo3barEv", "foo"),
      ("__ZN3foo3barEv", "foo"),
      ("_ZNK5boost1xE", "boost"), ("main", nil), ("$s99x", nil), ("$s99999999999999999999x", nil),
      ("_ZN", nil), ("", nil), ("$s", nil),
    ] as [(String, String?)]) func isTheFirstIdentifier(_ name: String, _ module: String?)
  {
    #expect(moduleName(ofMangled: SymbolName(name)) == module)
  }
}
