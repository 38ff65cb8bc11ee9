import ByteReading
import Symbolication
import Testing

@Suite struct MappingSymbolTests {
  @Test(arguments: [
    ("$x", true), ("$d", true), ("$t", true), ("$a", true), ("$d.12", true), ("$xrv64i2p1", true),
    ("$", false), ("$s4main", false), ("$xylophone", false), ("$data", false), ("x$d", false),
  ])
  func marksOfCodeAndDataAreNoFunctions(name: String, isMark: Bool) {
    // The name has further bytes before and after it, which must not count.
    let bytes = FileBytes(Array("$\(name).rv".utf8))
    #expect(isMappingSymbol(bytes, 1..<1 + name.utf8.count) == isMark)
  }
}
