import Foundation
import TestSupport
import Testing

/// `pages` of images that are not the file at their path: replaced during the launch, or in another mount namespace.
@Suite(.needs(.recording, "clang")) struct ReplacedImageTests {
  private static let program = """
    #define F(n) __attribute__((section(".text." #n), aligned(4096), noinline)) \
      int n(void) { __asm__ volatile(""); return 3; }
    #if BUILD == 1
    F(only_first) F(first)
    int main(void) { return first(); }
    #else
    F(unused) F(second) F(also_unused) F(late)
    int main(void) { return second() + late() == 6 ? 3 : 1; }
    #endif

    """

  /// `app` of the first build, and `other` of the second.
  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    for (build, name) in [(1, "app"), (2, "other")] {
      try workshop.must(
        "clang", ["-O1", "-DBUILD=\(build)", "app.c", "-Wl,--build-id", "-o", name])
    }
  }

  private func functions(_ run: Run) throws -> Set<String> {
    let image = PagesWorkshop.image("app", in: run.json)
    let pages = try #require(image["pages"] as? [[String: Any]])
    return Set(pages.compactMap { $0["function"] as? String })
  }

  private static let message =
    "/app: the image in memory is not this file, and is left out\n"

  @Test(arguments: PagesTests.methods)
  func aProgramThatIsReplacedBetweenTwoLaunchesKeepsThePagesOfTheFileThatIsThere(
    method: String
  ) throws {
    let workshop = try Self.built.copy()
    let alone = try workshop.orderfile("pages", "--method", method, "--json", "--", "./other")
    let run = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "--json", "--", "sh", "-c",
      "./app; mv other app; ./app")
    #expect(run.status == 3 && run.errors.contains(Self.message), "\(run.errors)")
    let found = try functions(run)
    #expect(found.isSuperset(of: ["second", "late"]), "\(found)")
    #expect(found.isDisjoint(with: ["first", "only_first", "unused", "also_unused"]), "\(found)")
    func executed(_ name: String, _ run: Run) -> Set<String> {
      let pages = PagesWorkshop.image(name, in: run.json)["pages"] as? [[String: Any]] ?? []
      return Set(
        pages.filter { $0["access"] as? String == "execute" }
          .compactMap { $0["address"] as? String })
    }
    #expect(executed("app", run) == executed("other", alone))
  }

  @Test(.needs(.mounting), arguments: PagesTests.methods)
  func aProgramInAnotherMountNamespaceIsLeftOut(method: String) throws {
    let workshop = try Self.built.copy()
    let script = "mount --bind other app; ./app; umount app; ./app"
    let run = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "--json", "--", "unshare", "-m", "sh", "-c",
      script)
    #expect(run.status == 3 && run.errors.contains(Self.message), "\(run.errors)")
    let found = try functions(run)
    #expect(found.contains("first") && !found.contains("only_first"), "\(found)")
    let none = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "--", "unshare", "-m", "sh", "-c",
      "mount --bind other app; ./app")
    #expect(none.errors.contains(Self.message), "\(none.errors)")
    #expect(!none.text.contains("only_first"))
  }

  /// The new file has another instruction at the place to stop.
  @Test(arguments: PagesTests.methods)
  func aProgramThatIsReplacedIsNotStoppedAtAPlaceOfTheFormerOne(method: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "--stop-at-symbol", "first", "-o", "p", "--",
      "sh", "-c", "mv other app; ./app")
    #expect(run.status == 3, "\(run.errors)")
    #expect(run.errors.contains("the program ended before it reached 'first'"), "\(run.errors)")
    let reached = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "--stop-at-symbol", "late", "-o", "p", "--",
      "./app")
    #expect(reached.status == 3 && !reached.errors.contains("before it reached"))
  }
}
