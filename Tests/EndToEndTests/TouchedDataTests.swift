import Foundation
import TestSupport
import Testing

/// Data that a launch touches are recorded, sealed, shown and merged.
@Suite(.needs(.recording)) struct TouchedDataTests {
  static let program = """
    #define APART __attribute__((aligned(64)))
    extern "C" { APART int counter = 1; APART int never = 1; APART int zeros[64]; }
    namespace app { APART extern const int table[64] = {1, 2}; }
    APART static const char *const words[] = {"one", "two"};
    int main(int count, char **) {
      int one = count > 0;
      counter += app::table[one * 20];
      zeros[one * 20] += counter;
      return words[one][0] != 't';
    }
    """

  @Test func dataIsNamedAlsoWhenTheImageIsGone() throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "app.cpp")
    try workshop.must(
      "clang++",
      ["-O1", "-c", "app.cpp", "-o", "app.o", "\(Build.coverage),trace-loads,trace-stores"])
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "clang++", ["-fuse-ld=lld", "-Wl,--build-id", "app.o", recorder, "-o", "app"])
    let run = try workshop.orderfile("record", "-o", "t", "--", "./app")
    #expect(run.status == 0, "\(run.errors)")

    func touched() throws -> [(names: [String], section: String?)] {
      let shown = try workshop.orderfile("show", "--json", "t")
      #expect(shown.status == 0 && shown.errors == "", "\(shown.errors)")
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(shown.output)) as? [String: Any])
      let data = try #require(document["data"] as? [[String: Any]])
      return data.map { ($0["names"] as? [String] ?? [], $0["section"] as? String) }
    }
    let names = [["_ZN3app5tableE"], ["counter"], ["zeros"], ["_ZL5words"], []]
    let sections = [".rodata", ".data", ".bss", ".data.rel.ro", ".rodata"]
    #expect(try touched().map(\.names) == names)
    #expect(try touched().map(\.section) == sections)
    try FileManager.default.removeItem(atPath: workshop.folder.appendingPathComponent("app").path)
    #expect(try touched().map(\.names) == names)
    #expect(try touched().map(\.section) == [nil, nil, nil, nil, nil])
    let text = try workshop.orderfile("show", "t", "--demangle", "full")
    #expect(text.text.contains("data:     5 granules touched, 40 bytes"), "\(text.text)")
    #expect(text.text.contains("app::table"), "\(text.text)\(text.errors)")

    let merged = try workshop.orderfile("merge", "t", "-o", "all.ofprofile")
    #expect(merged.status == 0)
    #expect(
      merged.errors.contains("1 launch, 1 function and 5 data of 1 build"), "\(merged.errors)")
    let shown = try workshop.mustOrderfile("show", "all.ofprofile", "--json").json
    let data = try #require(shown["data"] as? [[String: Any]])
    #expect(data.map { $0["name"] as? String } == names.map(\.first))
    #expect(data.allSatisfy { $0["launches"] as? Int == 1 && $0["firstNanoseconds"] != nil })
    #expect(data.map { $0["medianPosition"] as? Int } == [0, 1, 2, 3, 4])
  }
}
