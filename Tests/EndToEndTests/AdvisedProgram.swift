import Foundation
import TestSupport
import Testing

/// A program with 40 pages of pointers, so that its table of relocations fills 120 pages. Between the functions that a
/// launch runs are functions of two pages that it does not run.
struct AdvisedProgram {
  static let source = """
    static int x;
    #define P4 &x, &x, &x, &x,
    #define P32 P4 P4 P4 P4 P4 P4 P4 P4
    #define P512 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32
    #define P4096 P512 P512 P512 P512 P512 P512 P512 P512
    int *pointers[] = {P4096 P4096 P4096 P4096 P4096};
    #define UNUSED(name) __attribute__((noinline)) int name(void) { __asm__(".skip 8192, 0x90"); return 1; }
    __attribute__((noinline)) int first(void) { return 0; }
    UNUSED(firstUnused)
    __attribute__((noinline)) int second(void) { return pointers[17] != &x; }
    UNUSED(secondUnused)
    __attribute__((noinline)) int third(int n) {
      if (n > 9) { __asm__ volatile(".skip 8192, 0x90"); return pointers[n] == &x; }
      return 0;
    }
    UNUSED(thirdUnused)
    int main(int n, char **v) {
      if (n > 9) return firstUnused() + secondUnused() + thirdUnused();
      return first() + second() + third(n) + (v[0][0] == 'x');
    }
    """
  static let link = link("clang", "lld")

  /// The command of `--relink` that links by this linker.
  static func link(_ compiler: String, _ linker: String) -> String {
    "\(compiler) -fuse-ld=\(linker) -Wl,--build-id main.o -o app $ORDERFILE_LDFLAGS"
  }

  /// The command of `--relink` that also compiles.
  static func build(_ compiler: String) -> String {
    "\(compiler) -O1 -fPIE $ORDERFILE_CFLAGS -c main.c && " + link(compiler, "lld")
  }

  let workshop: Workshop
  private static let built = PreparedFolder<Workshop> { try build(in: $0) }

  init() throws { workshop = try Self.built.copy() }

  private static func build(in workshop: Workshop) throws {
    try workshop.write(source.utf8, "main.c")
    try workshop.must("clang", ["-O1", "-fPIE", "-ffunction-sections", "-c", "main.c"])
    try workshop.must("clang", ["-fuse-ld=lld", "-Wl,--build-id", "main.o", "-o", "app"])
  }

  /// Runs `orderfile advise app` with these words.
  func advise(_ words: [String]) throws -> Run {
    try workshop.start(Built.orderfile, ["advise", "app"] + words).end()
  }

  /// Runs `orderfile advise app --json`, which must succeed, and returns the document.
  func document(_ words: [String]) throws -> [String: Any] {
    let run = try advise(["--json"] + words)
    try #require(run.status == 0, "\(run.errors)")
    let value = try JSONSerialization.jsonObject(with: Data(run.text.utf8))
    return try #require(value as? [String: Any])
  }

  var image: Data {
    get throws { try Data(contentsOf: URL(fileURLWithPath: workshop.path("app"))) }
  }
}
