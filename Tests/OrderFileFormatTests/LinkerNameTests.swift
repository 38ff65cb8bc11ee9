import OrderFileFormat
import Testing

/// Tests which linker a name stands for.
@Suite struct LinkerNameTests {
  @Test(arguments: [
    ("lld", "lld"), ("lld-19", "lld"), ("ld.lld", "lld"), ("/usr/bin/ld.lld-19", "lld"),
    ("gold", "gold"), ("ld.gold", "gold"), ("bfd", "bfd"), ("ld", "bfd"), ("/usr/bin/ld", "bfd"),
    ("mold", "mold"), ("", ""),
  ])
  func aDemandedLinkerHasOneName(demanded: String, name: String) {
    #expect(OrderFileDialect.driverName(of: demanded) == name)
    let dialect = OrderFileDialect(driverName: demanded)
    #expect(dialect?.driverName == (["mold", ""].contains(name) ? nil : name))
  }

  @Test(arguments: [
    ("LLD 19.1.4", "lld"), ("Debian LLD 19.1.7", "lld"), ("Ubuntu LLD 18.1.3 (compatible)", "lld"),
    ("GNU gold (GNU Binutils 2.40) 1.16", "gold"), ("gold 1.16", "gold"),
    ("GNU ld (GNU Binutils) 2.44", "gnu-ld"), ("mold 2.30.0", nil),
  ])
  func aLinkerIsKnownByWhatItSays(text: String, dialect: String?) {
    #expect(OrderFileDialect(linkerStating: text)?.name == dialect)
  }
}
