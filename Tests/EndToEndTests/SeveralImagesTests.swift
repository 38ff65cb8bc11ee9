import Foundation
import TestSupport
import Testing

/// Libraries and plugins, several traces, and one order file for each image.
@Suite(.needs(.recording)) struct SeveralImagesTests {
  static let library = """
    #define F(n) __attribute__((noinline)) int n(int x)
    F(library_last) { __asm__ volatile(""); return x + 2; }
    F(library_unused) { __asm__ volatile(""); return x + 3; }
    F(library_first) { int y = library_last(x); return y * 2; }
    """
  static let plugin = """
    #define F(n) __attribute__((noinline)) int n(int x)
    F(plugin_last) { __asm__ volatile(""); return x + 2; }
    F(plugin_enter) { int y = plugin_last(x); return y * 2; }
    """
  static let idle = "int idle(int x) { return x; }"
  static let main = """
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int library_first(int);
    __attribute__((noinline)) void option_a(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void option_b(void) { __asm__ volatile(""); }
    int main(int n, char **v) {
      void *handle = dlopen("./plugin.so", RTLD_NOW);
      int (*enter)(int) = (int (*)(int))dlsym(handle, "plugin_enter");
      printf("%d\\n", library_first(n) + enter(n));
      dlclose(handle);
      if (n > 1 && !strcmp(v[1], "a")) option_a();
      if (n > 1 && !strcmp(v[1], "b")) option_b();
      return 0;
    }
    """

  /// Makes both builds: the instrumented one in `rec/`, and the release in `out/`.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    for (name, text) in [
      ("main.c", main), ("library.c", library), ("plugin.c", plugin), ("idle.c", idle),
    ] {
      try workshop.write(text.utf8, name)
    }
    let recorder = try #require(Built.recorder)
    for (folder, options, more) in [("rec", [Build.coverage], [recorder]), ("out", [], [])] {
      try workshop.must("mkdir", [folder])
      let common =
        ["-O1", "-ffunction-sections", "-fPIC", "-fuse-ld=lld", "-Wl,--build-id"] + options
      try workshop.must(
        "clang", common + ["-shared", "library.c", "-o", "\(folder)/liblibrary.so"])
      try workshop.must("clang", common + ["-shared", "idle.c", "-o", "\(folder)/libidle.so"])
      // The plugin carries a recorder of its own.
      try workshop.must(
        "clang", common + ["-shared", "plugin.c", "-o", "\(folder)/plugin.so"] + more)
      try workshop.must(
        "clang",
        common + [
          "main.c", "-o", "\(folder)/app", "-L\(folder)", "-llibrary", "-Wl,--no-as-needed",
          "-lidle",
          "-Wl,-rpath,$ORIGIN",
        ] + more)
    }
    return workshop
  }

  static func record(_ workshop: Workshop, _ trace: String, _ arguments: String...) throws -> Run {
    try workshop.must(
      "env", ["-C", "rec", Built.orderfile, "record", "-o", "../\(trace)", "./app"] + arguments)
  }

  /// The functions that an order file names.
  static func names(_ workshop: Workshop, _ order: String) -> [String] {
    workshop.text(order).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  @Test func eachImageHasItsOrderFile() throws {
    let workshop = try Self.workshop()
    let record = try Self.record(workshop, "t")
    #expect(record.errors.contains(" in 4 images, "), "\(record.errors)")
    let gen = try workshop.mustOrderfile(
      "gen", "t", "--all-images", "-o", "orders", "--image", "out/app", "--image", "out/plugin.so",
      "--image", "out/liblibrary.so")
    let files = try FileManager.default.contentsOfDirectory(atPath: workshop.path("orders"))
      .sorted()
    #expect(files == ["app.order", "liblibrary.so.order", "plugin.so.order"])
    #expect(
      gen.errors.contains(
        "nothing was recorded in 'libidle.so', so no order file is written for it"))
    #expect(Self.names(workshop, "orders/app.order").contains("main"))
    #expect(
      Self.names(workshop, "orders/liblibrary.so.order").suffix(2) == [
        "library_first", "library_last",
      ])
    #expect(
      Self.names(workshop, "orders/plugin.so.order").suffix(2) == ["plugin_enter", "plugin_last"])
    // The main executable is the default, and an image is found by its name.
    #expect(
      try workshop.mustOrderfile("gen", "t", "--image", "out/app").output
        == workshop.bytes("orders/app.order"))
    let library = try workshop.mustOrderfile("gen", "t", "--image", "out/liblibrary.so")
    #expect(library.output == workshop.bytes("orders/liblibrary.so.order"))
    let json = try workshop.mustOrderfile("gen", "t", "--all-images", "-o", "orders", "--json").json
    let images = json["images"] as? [[String: Any]] ?? []
    #expect(
      images.compactMap { $0["resolvedFunctions"] as? Int }.count == 3)
  }

  /// The build files of `init` also link all images with one order file.
  @Test func allImagesCanBeLinkedWithOneOrderFile() throws {
    let workshop = try Self.workshop()
    _ = try Self.record(workshop, "t")
    for name in ["app", "liblibrary.so"] { try workshop.must("cp", ["out/\(name)", "\(name)"]) }
    let images = ["--image", "out/app", "--image", "out/liblibrary.so"]
    try workshop.mustOrderfile(["gen", "t", "--all-images", "-o", "orders"] + images)
    try workshop.mustOrderfile(["gen", "t", "--all-images", "-o", "all.order"] + images)
    #expect(
      workshop.bytes("all.order")
        == workshop.bytes("orders/app.order") + workshop.bytes("orders/liblibrary.so.order")
        + workshop.bytes("orders/plugin.so.order"))
    // The output may be an existing file of any name, such as an empty one of `init`.
    try workshop.write("# empty\n".utf8, "file")
    try workshop.mustOrderfile(["gen", "t", "--all-images", "-o", "file"] + images)
    #expect(workshop.bytes("file") == workshop.bytes("all.order"))

    let link = [
      "-O1", "-ffunction-sections", "-fPIC", "-fuse-ld=lld", "-Wl,--build-id",
      "-Wl,--symbol-ordering-file=all.order,--no-warn-symbol-ordering",
    ]
    try workshop.must("clang", link + ["-shared", "library.c", "-o", "out/liblibrary.so"])
    try workshop.must(
      "clang", link + ["main.c", "-o", "out/app", "-Lout", "-llibrary", "-Wl,-rpath,$ORIGIN"])
    for name in ["app", "liblibrary.so"] {
      let pair = [name, "out/\(name)"]
      let diff = try workshop.mustOrderfile(
        ["diff"] + pair + ["--trace", "t", "--order", "all.order", "--json"])
      let order = try #require(diff.json["order"] as? [String: Any])
      #expect(order["inOrder"] as? Int == order["entries"] as? Int, "\(order)")
      #expect(!diff.errors.contains("did not follow"), "\(diff.errors)")
      try workshop.mustOrderfile(["report", "-o", "report.html"] + pair + ["t", "all.order"])
      let verify = try workshop.mustOrderfile(
        "verify", "all.order", "--image", "out/\(name)", "--limit", "verify.stale<=0%", "--json")
      #expect(verify.json["stale"] as? Int == 0)
      #expect(try #require(verify.json["otherImages"] as? Int) > 0)
    }
  }

  /// The order file has the orders of several images.
  @Test func renamedFunctionsOfOneImageAreUpdated() throws {
    let workshop = try Self.workshop()
    let title = "# orderfile 1: first uses of"
    try workshop.write(
      "\(title) app in 1 launch\nmain\n\(title) liblibrary.so in 1 launch\nlibrary_last.llvm.1\n"
        .utf8,
      "all.order")
    let run = try workshop.mustOrderfile(
      "verify", "all.order", "--image", "out/liblibrary.so", "--update", "all.order")
    #expect(
      run.errors.contains("wrote the present names of functions into 1 line"), "\(run.errors)")
    #expect(
      workshop.text("all.order")
        == "\(title) app in 1 launch\nmain\n\(title) liblibrary.so in 1 launch\nlibrary_last\n")
  }

  @Test func anImageThatNobodyRecordedIsRefused() throws {
    let workshop = try Self.workshop()
    _ = try Self.record(workshop, "t")
    try workshop.must("cp", ["out/app", "out/stranger"])
    let run = try workshop.orderfile(
      "gen", "t", "--all-images", "-o", "orders", "--image", "out/stranger")
    #expect(run.status == 3)
    #expect(
      run.errors.contains(
        "out/stranger: missing image 'stranger' in the traces\n  hint: the traces have "))
  }

  /// The loader calls a library by the name that the library states, and the kernel by the name of its file.
  @Test func bothRecordersTellOfOneLibrary() throws {
    let workshop = try Workshop()
    let recorder = try #require(Built.recorder)
    try workshop.write(Self.library.utf8, "library.c")
    try workshop.write(
      "int library_first(int); int main(int n, char **v) { (void)v; return library_first(n) == 99; }\n"
        .utf8, "main.c")
    for (folder, options, more) in [("rec", [Build.coverage], [recorder]), ("out", [], [])] {
      try workshop.must("mkdir", [folder])
      let common =
        ["-O1", "-ffunction-sections", "-fPIC", "-fuse-ld=lld", "-Wl,--build-id"] + options
      let file = "\(folder)/libdemo.so.1.0.4"
      try workshop.must(
        "clang", common + ["-shared", "-Wl,-soname,libdemo.so.1", "library.c", "-o", file])
      try workshop.must("ln", ["-s", "libdemo.so.1.0.4", "\(folder)/libdemo.so.1"])
      try workshop.must(
        "clang",
        common + ["main.c", file, "-Wl,-rpath,$ORIGIN", "-o", "\(folder)/app"] + more)
    }
    try workshop.mustOrderfile("record", "-o", "t", "--", "rec/app")
    try workshop.mustOrderfile(
      "record", "--breakpoints", "--also", "out/libdemo.so.1.0.4", "-o", "b", "--", "out/app")
    let gen = try workshop.mustOrderfile(
      "gen", "t", "b", "--image", "out/libdemo.so.1.0.4", "-o", "x.order", "--json")
    let order = (gen.json["images"] as? [[String: Any]])?.first ?? [:]
    #expect(order["launches"] as? Int == 2)
    #expect(order["recordedFunctions"] as? Int == order["resolvedFunctions"] as? Int)
    #expect(Self.names(workshop, "x.order").contains("library_first"))
    let unused = gen.json["unused"] as? [[String: Any]] ?? []
    #expect(unused.count == 2)
    #expect(unused.allSatisfy { ($0["image"] as? String)?.hasSuffix("/app") ?? false })
    #expect(gen.errors.contains(" hits are not used: "), "\(gen.errors)")
    let all = try workshop.mustOrderfile("gen", "t", "b", "--all-images", "-o", "orders", "--json")
    #expect((all.json["images"] as? [Any])?.count == 2)
    #expect((all.json["unused"] as? [Any])?.isEmpty == true)
  }

  @Test func tracesOfBuildsUnderTwoNamesAreOfOneProgram() throws {
    let workshop = try Self.workshop()
    _ = try Self.record(workshop, "t", "a")
    try workshop.must("cp", ["out/app", "out/app-default"])
    try workshop.must(
      "env",
      ["-C", "out", Built.orderfile, "record", "--breakpoints", "-o", "../b", "./app-default", "b"])
    let gen = try workshop.mustOrderfile("gen", "t", "b", "--image", "out/app-default")
    let names = gen.text.split(separator: "\n").filter { $0.hasPrefix("option_") }
    #expect(names.sorted() == ["option_a", "option_b"], "\(gen.text)")
    #expect(gen.errors.contains("'app' counts as a build of 'app-default'"), "\(gen.errors)")
  }

  @Test func theOrderOfTheTracesChangesNothing() throws {
    let workshop = try Self.workshop()
    _ = try Self.record(workshop, "a", "a")
    _ = try Self.record(workshop, "b", "b")
    func order(_ traces: String...) throws -> [String] {
      try workshop.must(
        Built.orderfile, ["gen"] + traces + ["--image", "out/app", "-o", "app.order"])
      return Self.names(workshop, "app.order").filter {
        ["main", "option_a", "option_b"].contains($0)
      }
    }
    #expect(try order("a") == ["main", "option_a"])
    let both = try order("a", "b")
    #expect(both.sorted() == ["main", "option_a", "option_b"])
    #expect(try order("b", "a") == both)
    #expect(try order("a", "a") == ["main", "option_a"])
  }
}
