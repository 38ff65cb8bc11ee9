import Foundation
import TestSupport
import Testing

/// `orderfile advise` with a command that links: each change is built and measured.
@Suite(.needs(.recording, "ld.lld", "ld.gold", "ld.bfd", "clang-19", "gcc"))
struct AdviseIntegrations {
  private static func change(_ document: [String: Any], _ name: String) throws -> [String: Any] {
    let changes = try #require(document["changes"] as? [[String: Any]])
    return try #require(changes.first { $0["name"] as? String == name })
  }

  private static func saved(_ document: [String: Any], _ name: String) throws -> Int {
    let change = try change(document, name)
    return try #require(change["saved"] as? Int, "\(change)")
  }

  private static func together(_ document: [String: Any]) throws -> (
    names: [String], saved: Int, cFlags: [String], ldFlags: [String]
  ) {
    let together = try #require(document["together"] as? [String: Any])
    return (
      try #require(together["names"] as? [String]), try #require(together["saved"] as? Int),
      try #require(together["cFlags"] as? [String]), try #require(together["ldFlags"] as? [String])
    )
  }

  @Test func eachChangeIsBuiltAndItsPagesAreCounted() throws {
    let app = try AdvisedProgram()
    let before = try app.image
    let document = try app.document(["--relink", AdvisedProgram.link, "--", "./app"])
    #expect((document["warnings"] as? [String]) == [])
    #expect(document["variation"] as? Int == 0)
    let changes = try #require(document["changes"] as? [[String: Any]])
    #expect(changes.count > 10)
    #expect(changes.allSatisfy { ($0["cFlags"] as? [String])?.isEmpty ?? false })
    #expect(changes.first?["name"] as? String == "packed relocations")
    let packed = try Self.saved(document, "packed relocations")
    #expect((115...120).contains(packed))
    #expect(try Self.saved(document, "fixed address") > packed)
    let together = try Self.together(document)
    #expect(together.names.contains("packed relocations"))
    #expect(!together.names.contains("fixed address") && !together.names.contains("prefetching"))
    #expect(together.saved >= packed)
    #expect(try app.image == before, "the image is as it was")
    let names = try FileManager.default.contentsOfDirectory(atPath: app.workshop.folder.path)
    #expect(!names.contains { $0.hasPrefix("app.") }, "no file is left: \(names)")
  }

  /// The options that the report prints, with the files of `--files`, build the image that was measured.
  @Test(arguments: [("clang", "lld"), ("clang", "gold"), ("gcc", "bfd")])
  func functionsAreOrderedAndTheFilesAreKept(compiler: String, linker: String) throws {
    let app = try AdvisedProgram()
    let link = AdvisedProgram.link(compiler, linker)
    try app.workshop.must("sh", ["-c", link])
    let document = try app.document(["--relink", link, "--files", "kept", "--", "./app"])
    #expect(try Self.saved(document, "function order") >= 2)
    let together = try Self.together(document)
    #expect(together.names.contains("function order"), "\(together)")
    // gold has no other change that saves pages.
    #expect(try Self.saved(document, "function order") <= together.saved)
    try app.workshop.must(
      "sh", ["-c", "ORDERFILE_LDFLAGS='\(together.ldFlags.joined(separator: " "))'; " + link])
    let verified = try app.workshop.start(
      Built.orderfile, ["verify", "kept/app.order", "--image", "app"]
    ).end()
    #expect(verified.status == 0, "\(verified.text)\(verified.errors)")
  }

  @Test func functionsAreSplitIfTheCommandCompiles() throws {
    let app = try AdvisedProgram()
    let command = AdvisedProgram.build("clang-19")
    try app.workshop.must("sh", ["-c", command])
    let document = try app.document(["--relink", command, "--files", "kept", "--", "./app"])
    #expect(try Self.saved(document, "split functions") > Self.saved(document, "function order"))
    let together = try Self.together(document)
    #expect(together.names.contains("split functions"))
    #expect(!together.names.contains("function order"), "splitting includes an order")
    #expect(together.cFlags.contains("-fbasic-block-sections=list=kept/app.clusters"))
    let build = ["CFLAGS", "LDFLAGS"].map { name in
      let words = name == "CFLAGS" ? together.cFlags : together.ldFlags
      return "ORDERFILE_\(name)='\(words.joined(separator: " "))'; "
    }.joined()
    try app.workshop.must("sh", ["-c", build + command])
    #expect(app.workshop.text("kept/app.order").contains(".cold"))
    #expect(try Self.saved(document, "no unwind tables") >= 0)
  }

  @Test func whatCannotBeBuiltIsListedWithItsReason() throws {
    let app = try AdvisedProgram()
    let command = AdvisedProgram.build("gcc")
    try app.workshop.must("sh", ["-c", command])
    let document = try app.document(["--relink", command, "--", "./app"])
    let split = try Self.change(document, "split functions")
    #expect(split["result"] as? String == "failed", "gcc can't split functions")
    #expect((split["reason"] as? String ?? "").contains("-fbasic-block-address-map"), "\(split)")
    #expect(try Self.saved(document, "function order") >= 2)
  }

  /// The toolset that `--files` keeps builds the image that was measured.
  @Test(.needs("swift"))
  func aSwiftPackageIsBuiltWithAToolset() throws {
    let workshop = try Workshop()
    for (name, text) in [
      (
        "Package.swift",
        """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
          name: "app",
          targets: [
            .target(name: "steps"), .executableTarget(name: "app", dependencies: ["steps"]),
          ])

        """
      ),
      (
        // SwiftPM removes functions that nothing calls.
        "Sources/app/main.swift",
        """
        import steps
        print(step1() + step2() + step3() + step4())
        if CommandLine.arguments.count > 9 { print(unused1() + unused2() + unused3() + unused4()) }

        """
      ),
      (
        "Sources/steps/include/steps.h",
        """
        int step1(void), step2(void), step3(void), step4(void);
        int unused1(void), unused2(void), unused3(void), unused4(void);

        """
      ),
      (
        "Sources/steps/steps.c",
        """
        #include "steps.h"
        #define STEP(n) \\
          int step##n(void) { return n; } \\
          int unused##n(void) { __asm__(".skip 8192, 0x90"); return n; }
        STEP(1) STEP(2) STEP(3) STEP(4)

        """
      ),
    ] {
      try FileManager.default.createDirectory(
        atPath: (workshop.path(name) as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true)
      try workshop.write(text.utf8, name)
    }
    let build = "swift build -c release --toolset "
    try workshop.must("swift", ["build", "-c", "release"])
    let image = ".build/release/app"
    let run = try workshop.start(
      Built.orderfile,
      [
        "advise", image, "--json", "--relink", build + "\"$ORDERFILE_TOOLSET\"", "--files", "kept",
        "--", image,
      ]
    ).end()
    try #require(run.status == 0, "\(run.errors)")
    let value = try JSONSerialization.jsonObject(with: Data(run.text.utf8))
    let document = try #require(value as? [String: Any])
    #expect(try Self.saved(document, "function order") > 0)
    let together = try Self.together(document)
    #expect(together.names.contains("function order") && together.cFlags.isEmpty, "\(together)")
    try workshop.must("sh", ["-c", "rm \(image) && \(build) kept/toolset.json"])
    let verified = try workshop.start(
      Built.orderfile, ["verify", "kept/app.order", "--image", image]
    ).end()
    #expect(verified.status == 0, "\(verified.text)\(verified.errors)")
  }

  @Test func memoryIsMeasuredOfEachBuild() throws {
    let app = try AdvisedProgram()
    let document = try app.document(
      ["--relink", AdvisedProgram.link, "--memory", "--warm", "--runs", "2", "--", "./app"])
    func memory(_ build: Any?) throws -> Int {
      let memory = try #require((build as? [String: Any])?["memory"] as? [String: Any])
      #expect(memory["launches"] as? Int == 20)
      return try #require(memory["imageRSSBytes"] as? Int)
    }
    let present = try memory(document["present"])
    let packed = try memory(Self.change(document, "packed relocations")["build"])
    // The table of relocations has 120 pages, which a launch without packed relocations reads.
    #expect(present - packed > 100 << 12, "\(present) \(packed)")
    let warm = try #require((document["again"] as? [String: Any])?["warm"] as? [String: Any])
    #expect(warm["launches"] as? Int == 2 && warm["comparison"] != nil && warm["requests"] == nil)
  }

  @Test func aCommandThatIgnoresTheOptionsIsWarnedOf() throws {
    let app = try AdvisedProgram()
    let command = "clang -fuse-ld=lld -Wl,--build-id main.o -o app"
    let run = try app.advise(["--relink", command, "--", "./app"])
    #expect(run.status == 0 && run.text.contains("\nno effect: function order"))
    #expect(run.errors.contains("the command makes the same image with each change"))
  }
}

/// `orderfile advise --device`: the requests of cold launches decide about prefetching.
@Suite(.needs(.recording, "ld.lld"), .needs(.device), .needs(.root))
struct AdviseDeviceIntegrations {
  @Test func prefetchingIsKeptOnlyIfLaunchesMakeFewerRequests() throws {
    let app = try AdvisedProgram()
    let before = try app.image
    let document = try app.document(
      [
        "--relink", AdvisedProgram.link, "--device", "slow=16KiB,1ms", "--runs", "3", "--files",
        "kept", "--", "./app",
      ])
    func cold(_ build: Any?) throws -> (requests: Double, faults: Double) {
      let cold = try #require((build as? [String: Any])?["cold"] as? [String: Any])
      return (
        try #require(cold["requests"] as? Double), try #require(cold["majorFaults"] as? Double)
      )
    }
    let changes = try #require(document["changes"] as? [[String: Any]])
    let present = try cold(document["present"])
    let packed = try cold(changes.first { $0["name"] as? String == "packed relocations" }?["build"])
    #expect(packed.requests < present.requests)
    let together = try #require(document["together"] as? [String: Any])
    let best = try cold(together["build"])
    #expect(best.requests <= packed.requests && best.faults <= packed.faults)
    let names = try #require(together["names"] as? [String])
    let isKept = FileManager.default.fileExists(atPath: app.workshop.path("kept/app-prefetch.c"))
    #expect(names.contains("prefetching") == isKept)
    #expect(try app.image == before, "the image is as it was")
  }
}
