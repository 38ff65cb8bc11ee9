import ImageModel
import Prediction
import Testing

@Suite struct FunctionOwnerTests {
  @Test(
    arguments: [
      (nil, nil, nil, nil), ("main", nil, "main", nil), (nil, "leaf.o", "leaf.o", nil),
      ("main", "leaf.o", "main", "leaf.o"),
      (nil, "build/libx.a(leaf.o)", "libx.a", "build/libx.a(leaf.o)"),
      (nil, "(leaf.o)", "(leaf.o)", nil), (nil, "a/(b)", "a/(b)", nil),
      ("m", "lib.a(b)", "m", "lib.a(b)"),
    ] as [(SymbolName?, SymbolName?, SymbolName?, SymbolName?)])
  func isTheModuleTheArchiveOrTheFile(
    _ module: SymbolName?, _ file: SymbolName?, _ name: SymbolName?, _ object: SymbolName?
  ) {
    let owner = FunctionOwner(module: module, file: file)
    #expect(owner.name == name && owner.object == object)
  }

  @Test func aFileBelongsToTheModuleThatMostOfItsNamesState() {
    let files: [SymbolName?] = ["a.o", "a.o", "a.o", "a.o", "b.o", "b.o", "c.o", nil]
    let modules: [SymbolName?] = ["App", "App", "Swift", nil, "App", "Kit", nil, "Kit"]
    // Half of the names of b.o are not most of them, and no name of c.o states a module.
    #expect(FunctionOwner.modulesByFile(files, modules) == ["a.o": "App"])
  }
}
