import Audit
import ByteReading
import ImageModel
import Testing

@Suite struct AllowListTests {
  private static func list(_ text: String) throws -> AllowList {
    try AllowList(FileBytes(Array(text.utf8)), path: "list")
  }

  private static func library(_ name: String, at path: String? = nil) -> AuditedLibrary {
    AuditedLibrary(name: SymbolName(name), path: path, isDirect: true)
  }

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
  func aPatternMatchesNamesAndFrameworks(pattern: String, name: String, matches: Bool) throws {
    #expect(try Self.list(pattern).allows(Self.library(name)) == matches)
  }

  @Test func windowsLinesBlanksAndCommentsDoNotCount() throws {
    let list = try Self.list("\u{feff}# all\r\n\r\n  libc.so.6\t# the C library\r\nlib#x.so\r\n")
    #expect(list.patterns.map(\.line) == [3, 4])
    #expect(list.allows(Self.library("libc.so.6")) && list.allows(Self.library("lib#x.so")))
    #expect(!list.allows(Self.library("libm.so.6")))
    let unused = list.unused(by: [Self.library("libc.so.6")])
    #expect(unused.map(\.description) == ["list: line 4: no library is called 'lib#x.so'"])
  }

  @Test(arguments: ["<<<<<<< HEAD", "=======", ">>>>>>> x", "||||||| base"])
  func markersOfAMergeConflictAreRefused(marker: String) {
    let error = #expect(throws: Diagnostic.self) { try Self.list("lib*\n\(marker)\nld*\n") }
    #expect(error?.message.hasSuffix("(at line 2)") ?? false)
  }

  @Test func bytesThatAreNoTextAreRefused() {
    #expect(throws: Diagnostic.self) { try Self.list("lib\u{0}c") }
  }

  @Test func aPatternOfManyStarsTakesNoLongerThanItsLength() {
    let pattern = [UInt8](String(repeating: "a*", count: 2000).utf8) + Array("b".utf8)
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 4000)
    #expect(!LibraryPattern(bytes: pattern).matches(text[...]))
  }
}
