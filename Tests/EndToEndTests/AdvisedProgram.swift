import Foundation
import TestSupport
import Testing

/// A program with 40 pages of pointers, so that its table of relocations fills 120 pages.
struct AdvisedProgram {
  static let source = """
    static int x;
    #define P4 &x, &x, &x, &x,
    #define P32 P4 P4 P4 P4 P4 P4 P4 P4
    #define P512 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32 P32
    #define P4096 P512 P512 P512 P512 P512 P512 P512 P512
    int *pointers[] = {P4096 P4096 P4096 P4096 P4096};
    __attribute__((noinline)) int first(void) { return 0; }
    __attribute__((noinline)) int second(void) { return pointers[17] != &x; }
    __attribute__((noinline)) int third(int n) { return n > 9; }
    int main(int n, char **v) { return first() + second() + third(n) + (v[0][0] == 'x'); }
    """
  static let link = "clang -fuse-ld=lld -Wl,--build-id main.o -o app $ORDERFILE_LDFLAGS"

  let workshop: Workshop
  private static let built = PreparedFolder<Workshop> { try build(in: $0) }

  init() throws { workshop = try Self.built.copy() }

  private static func build(in workshop: Workshop) throws {
    try workshop.write(source.utf8, "main.c")
    try workshop.must("clang", ["-O1", "-fPIE", "-c", "main.c"])
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
