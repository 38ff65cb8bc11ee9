import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

@Suite struct DescribedFunctionsTests {
  static let program = """
    #include <stdio.h>
    __attribute__((noinline)) static int handle(int n) {
      if (n > 100) {
        fputs("much", stderr);
        for (int i = 0; i < n; i++) if (i % 60 == 7) fputs(".", stderr);
        return -1;
      }
      return n + 1;
    }
    int main(int n, char **v) { return handle(n) > 100; }
    """

  /// Compilers list the pieces of a split function in different orders.
  @Test(
    .needs("clang", "clang-19", "ld.lld"),
    arguments: ["clang", "clang-19"], ["-gdwarf-4", "-gdwarf-5"])
  func aSplitFunctionIsWhereItsSymbolIs(compiler: String, version: String) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.program.utf8), "program.c")
    let clusters = try folder.write(Array("v1\nf handle\nc 0\n".utf8), "app.clusters")
    let path = folder.path("program")
    try #require(Tool(compiler)).run([
      "-O2", version, "-ffunction-sections", "-fbasic-block-sections=list=\(clusters)",
      "-fuse-ld=lld", source, "-o", path,
    ])
    let layout = try Image.reading(path: path).image.layout
    try #require(layout.functions.contains { layout.name(of: $0) == "handle.cold" })
    let described = DescribedFunctions(of: try FileBytes(path: path), in: layout)
      .functions
    #expect(described.map(\.name).sorted() == ["handle", "main"])
    for function in described {
      let names = layout.functions[layout.functions(at: function.address)].map(layout.name)
      #expect(names == [function.name])
    }
  }
}
