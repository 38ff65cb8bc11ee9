import Audit
import ImageModel
import Testing

@Suite struct LibraryPatternTests {
  @Test(arguments: [
    ("libc.so.6", "libc.so.6", true), ("libc.so", "libc.so.6", false),
    ("libc.so.*", "libc.so.6", true), ("lib?.so.6", "libc.so.6", true),
    ("*", "a", true), ("a*b*c", "aXbYbc", true), ("a*b*c", "aXbYb", false),
    ("A.framework", "@rpath/A.framework/Versions/A/A", true),
    ("A", "@rpath/A.framework/A", true), ("Versions", "@rpath/A.framework/Versions/A/B", false),
    ("/usr/lib/*", "/usr/lib/libSystem.B.dylib", true), ("/usr/lib/*", "/opt/libz.dylib", false),
    ("libz.dylib", "/opt/libz.dylib", true), ("A.framework", "/x/A.framework/A", true),
    ("A.framework", "@rpath/A.framework/../libb.dylib", false),
    ("A.framework", "@rpath/A.framework/Versions/A/Libraries/libb.dylib", false),
    ("A.framework", "@rpath/A.framework/B", false), ("/usr/lib/*", "/usr/lib/./libz.dylib", true),
    ("/usr/lib/*", "/usr/lib/../../opt/libz.dylib", false), ("../*", "../lib/libz.so", true),
    ("libz.so", "/..", false),
  ])
  func aPatternMatchesNamesAndFrameworks(pattern: String, name: String, matches: Bool) {
    let pattern = LibraryPattern(bytes: Array(pattern.utf8))
    #expect(pattern.matches(name: SymbolName(name), path: nil) == matches)
    #expect(pattern.matches(name: "", path: name) == matches)
  }

  @Test func aPatternOfManyStarsTakesNoLongerThanItsLength() {
    let pattern = [UInt8](String(repeating: "a*", count: 2000).utf8) + Array("b".utf8)
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 4000)
    #expect(!LibraryPattern(bytes: pattern).matches(text[...]))
  }
}
