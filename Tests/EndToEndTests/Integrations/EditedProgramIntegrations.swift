import TestSupport
import Testing

/// `orderfile gen --split-profile` with the trace of a build whose source was edited since.
@Suite(.needs(.recording, "clang-19")) struct EditedProgramIntegrations {
  /// A program with a function that has long code for rare cases. `edit` and `helper` are code that an edit adds.
  static func source(edit: String = "", helper: String = "", limit: Int = 100) -> String {
    """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    __attribute__((noinline)) static int rare(const char *what, int n) { printf("%s %d\\n", what, n); return n / 2; }
    \(helper)
    __attribute__((noinline)) int work(int n, char **words) {
      int sum = 0;
      \(edit)
      for (int i = 1; i < n; i++) {
        int number = atoi(words[i]);
        if (number > \(limit)) { sum += rare("large", number); sum *= 3; if (sum > 1000) sum -= rare("huge", sum); }
        else if (number < 0) { sum -= rare("negative", number); puts("less than nothing"); sum ^= 5; }
        else if (strlen(words[i]) > 2) sum += rare("padded", number) + rare(words[i], i);
        else sum += number * 7;
      }
      return sum;
    }
    int main(int n, char **words) {
      printf("%d\\n", work(n, words));
      return 0;
    }
    """
  }

  private static let launches = [["1", "2"], ["500", "7"], ["-3"], ["001", "2000", "5"], []]

  private func build(
    _ image: String, by compiler: String, in workshop: Workshop, _ flags: [String] = []
  ) throws {
    try workshop.must(
      compiler,
      [
        "-O2", "-ffunction-sections", SplitTests.blockMap, "-fuse-ld=lld", "-Wl,--build-id",
        "main.c",
        "-o", image,
      ] + flags)
  }

  private func record(_ trace: String, _ image: String, in workshop: Workshop) throws {
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", trace, "--", "./\(image)", "1", "2"])
  }

  /// The IDs of the blocks of a function that the profile does not split off.
  private func blocks(of function: String, _ profile: String, in workshop: Workshop) -> Set<
    Substring
  > {
    let lines = SplitTests.profile(workshop, profile)
    guard let place = lines.firstIndex(of: "f \(function)") else { return [] }
    return Set(lines[place + 1].split(separator: " ").dropFirst())
  }

  @Test(.needs("clang"), arguments: [("clang", ["-fPIE", "-pie"]), ("clang-19", ["-no-pie"])])
  func anEditedFunctionIsSplitByTheBlocksThatRan(compiler: String, flags: [String]) throws {
    let workshop = try Workshop()
    try workshop.write(Self.source().utf8, "main.c")
    try build("app", by: compiler, in: workshop, flags)
    try record("t", "app", in: workshop)
    try workshop.write(
      Self.source(
        edit:
          "if (n > 4) { sum = rare(\"many\", n); fprintf(stderr, \"many words\\n\"); }\nsum += greet(n);",
        helper:
          "__attribute__((noinline)) static int greet(int n) { puts(\"hello\"); return n & 1; }",
        limit: 200
      ).utf8, "main.c")
    try build("later", by: compiler, in: workshop, flags)
    let run = try workshop.mustOrderfile(
      "gen", "t", "--image", "later", "--split-profile", "app.clusters", "-o", "app.order", "--json"
    )
    let image = try #require((run.json["images"] as? [[String: Any]])?.first)
    let others = try #require((image["split"] as? [String: Any])?["otherBuilds"] as? [String: Int])
    #expect(others["matchedFunctions"] == 1 && others["wholeFunctions"] == 0, "\(others)")
    #expect(others["newFunctions"] == 1, "\(others)")
    let (matched, all) = (others["matchedBlocks"] ?? 0, others["blocks"] ?? 0)
    #expect(matched < all && 2 * matched > all, "\(others)")

    // Little of `work` is in the first part, and all that a launch of the later build runs.
    try record("t2", "later", in: workshop)
    try workshop.mustOrderfile(
      "gen", "t2", "--image", "later", "--split-profile", "fresh.clusters", "-o", "fresh.order")
    let carried = blocks(of: "work", "app.clusters", in: workshop)
    let fresh = blocks(of: "work", "fresh.clusters", in: workshop)
    #expect(!fresh.isEmpty && carried.isSuperset(of: fresh), "\(carried), \(fresh)")
    #expect(carried.count <= fresh.count + 3, "\(carried), \(fresh)")
    #expect(workshop.text("app.order").contains("\nwork\ngreet\n"))

    try build("split", by: compiler, in: workshop, flags + SplitTests.splitting)
    for launch in Self.launches {
      let plain = try workshop.start("./later", launch).end()
      let split = try workshop.start("./split", launch).end()
      #expect(split.text == plain.text && split.status == plain.status)
    }
  }

  @Test func withoutTheRecordedImageAnErrorSaysWhatIsMissing() throws {
    let workshop = try Workshop()
    try workshop.write(Self.source().utf8, "main.c")
    try build("app", by: "clang-19", in: workshop)
    try record("t", "app", in: workshop)
    try workshop.must("mv", ["app", "before"])
    try workshop.write(Self.source(limit: 200).utf8, "main.c")
    try build("app", by: "clang-19", in: workshop)
    let arguments = ["gen", "t", "--image", "app", "--split-profile", "p", "-o", "app.order"]
    let run = try workshop.orderfile(arguments)
    #expect(run.status != 0 && run.errors.contains("missing the recorded image"), "\(run.errors)")
    let again = try workshop.orderfile(arguments + ["--recorded", "before"])
    #expect(again.status == 0 && again.errors.contains("found the blocks of "), "\(again.errors)")
  }
}
