import Audit
import Foundation
import ImageModel
import TestSupport
import Testing

/// Unused selectors and classes of programs that the real compiler and linker made.
@Suite(.needs(.appleSDK)) struct UnusedObjectiveCTests {
  private static let source = """
    __attribute__((objc_root_class)) @interface Root
    + (id)make;
    - (int)sent;
    - (int)never;
    - (int)named;
    - (int)declared;
    - (void)tap:(id)sender;
    - (void)setKeyed:(int)n;
    @property int size;
    @end
    @protocol Listener
    - (int)declared;
    @end
    @interface Root (Listening) <Listener>
    - (int)alsoNever;
    - (int)source:(id)s didEnd:(int)n;
    @end
    @interface Leaf : Root
    @end
    @interface Alone : Root
    @end
    @interface Early : Root
    @end
    @interface FromString : Root
    @end
    @interface InCode : Root
    @end
    @interface InTable : Root
    @end
    @implementation Root
    + (id)make { return (id)0; }
    - (int)sent { return 1; }
    - (int)never { return 2; }
    - (int)named { return 3; }
    - (int)declared { return 4; }
    - (void)tap:(id)sender {}
    - (void)setKeyed:(int)n {}
    @dynamic size;
    - (int)size { return 0; }
    - (void)setSize:(int)n {}
    @end
    @implementation Root (Listening)
    - (int)alsoNever { return 5; }
    - (int)source:(id)s didEnd:(int)n { return 6; }
    - (long)numberOfSectionsInTableView:(id)view { return 1; }
    - (id)mapView:(id)view viewForAnnotation:(id)place { return 0; }
    - (char)applicationSupportsSecureRestorableState:(id)application { return 1; }
    @end
    @implementation Leaf
    @end
    @implementation Alone
    @end
    @implementation Early
    + (void)load {}
    @end
    @implementation FromString
    @end
    @implementation InCode
    @end
    @implementation InTable
    @end
    // Recent linkers let code refer to a class itself.
    extern char inCode __asm("_OBJC_CLASS_$_InCode"), inTable __asm("_OBJC_CLASS_$_InTable");
    void *table[] = { &inTable };
    void *direct(void) { return &inCode; }
    Protocol *listener(void) { return @protocol(Listener); }
    const char *names(int n) { return n == 1 ? "named" : n == 2 ? "a.keyed.path" : "FromString"; }
    int main(int n, char **v) { return [[Leaf make] sent] + names(n)[0] + (listener() != 0); }
    """

  private static let programs: [(AppleSDK.Platform, [String])] = [
    (.macOS, ["-objc_relative_method_lists"]), (.macOS, ["-no_objc_relative_method_lists"]),
    (.macOSx8664, ["-no_objc_relative_method_lists"]),
    (.iOS, ["-no_fixup_chains", "-no_objc_relative_method_lists"]),
  ]

  private static func audit(_ number: Int, possible: Bool) throws -> AuditDocument {
    let (platform, flags) = programs[number]
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    try workshop.write(source.utf8, "app.m")
    try sdk.compile(
      "app.m", to: "app.o", for: platform, flags: ["-Wno-everything"], in: workshop)
    try sdk.link(["app.o"], to: "app", for: platform, flags: flags, in: workshop)
    var options = Audit.Options()
    options.includesPossible = possible
    return try Audit(workshop.folder.appendingPathComponent("app").path, options).examine()
  }

  @Test(arguments: programs.indices) func onlyWhatNothingCanUseIsCertain(number: Int) throws {
    let document = try Self.audit(number, possible: false)
    let unused = try #require(document.unused)
    #expect(unused.selectors.map(\.name) == ["alsoNever", "never"])
    #expect(unused.selectors.map(\.classes) == [["Root(Listening)"], ["Root"]])
    // ld64.lld puts the names of classes among the strings, so each class could be looked up by its name.
    #expect(unused.classes.isEmpty)
    #expect(unused.furtherSelectors == 10 && unused.furtherClasses == 2)
    let counts = try #require(document.images[0].objectiveC)
    #expect(counts.classes == 7 && counts.categories == 1 && counts.protocols == 1)
    #expect(counts.methods == 15 && counts.nonLazy == 1)
    #expect(document.initializers.map(\.name) == ["+[Early load]"])
  }

  @Test func whatSomethingMayUseHasAReason() throws {
    let unused = try #require(try Self.audit(0, possible: true).unused)
    let doubts = unused.selectors.map { "\($0.name): \($0.doubt ?? "none")" }
    #expect(
      doubts == [
        "alsoNever: none",
        "applicationSupportsSecureRestorableState:: its name is that of a delegate method",
        "declared: a protocol declares it",
        "mapView:viewForAnnotation:: its name is that of a delegate method",
        "named: its name is also a string",
        "never: none",
        "numberOfSectionsInTableView:: its name is that of a delegate method",
        "setKeyed:: its name is also a string",
        "setSize:: it is an accessor of a property",
        "size: it is an accessor of a property",
        "source:didEnd:: its name is that of a delegate method",
        "tap:: a nib may name it as an action",
      ])
    #expect(unused.classes.map(\.name) == ["Alone", "FromString"])
    #expect(unused.classes.allSatisfy { $0.doubt == "its name is also a string" })
  }

  @Test(arguments: [[], ["-no_fixup_chains"]])
  func initializersWithoutSymbolsHaveNamesOfClassesAndSizes(flags: [String]) throws {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    let root = "__attribute__((objc_root_class)) @interface Root\n@end\n"
    try workshop.write((root + "@implementation Root\n@end\n").utf8, "root.m")
    let app = """
      \(root)
      @interface Root (Early)
      @end
      @implementation Root (Early)
      + (void)load { __asm__ volatile("nop"); }
      @end
      volatile int count;
      __attribute__((constructor)) static void early(void) { count = 9; __asm__ volatile("nop"); }
      int main(void) { return count; }
      """
    try workshop.write(app.utf8, "app.m")
    for name in ["root", "app"] {
      try sdk.compile(
        "\(name).m", to: "\(name).o", for: .macOS, flags: ["-Wno-everything"], in: workshop)
    }
    try sdk.link(
      ["root.o"], to: "libroot.dylib", for: .macOS,
      flags: ["-dylib", "-install_name", "@rpath/libroot.dylib"], in: workshop)
    try sdk.link(
      ["app.o", "libroot.dylib"], to: "app", for: .macOS, flags: ["-x"] + flags, in: workshop)
    let own = try Audit(workshop.folder.appendingPathComponent("app").path).examine()
      .initializers.filter { $0.image == "app" }
    #expect(own.map(\.kind).count == 2)
    #expect(own.first?.name == "+[Root(Early) load]")
    #expect(own.allSatisfy { 4...64 ~= $0.size ?? 0 && $0.pages == 1 })
    #expect(own.last?.name == nil)
  }

  @Test func aLibraryMayBeUsedByOthers() throws {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    try workshop.write(Self.source.utf8, "app.m")
    try sdk.compile("app.m", to: "app.o", for: .iOS, flags: ["-Wno-everything"], in: workshop)
    try sdk.link(["app.o"], to: "libapp.dylib", for: .iOS, flags: ["-dylib"], in: workshop)
    let path = workshop.folder.appendingPathComponent("libapp.dylib").path
    let unused = try #require(try Audit(path).examine().unused)
    #expect(unused.selectors.isEmpty && unused.classes.isEmpty)
    #expect(unused.furtherSelectors == 12 && unused.furtherClasses == 2)
  }
}
