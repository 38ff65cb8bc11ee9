import Foundation
import FunctionOrder
import ImageModel
import OrderFileFormat
import Ordering
import TestSupport
import Testing

/// The way from traces to the lines of an order file.
@Suite struct OrderGenerationTests {
  private let builds: SampleBuilds
  init() throws { builds = try SampleBuilds.ofOneProgram() }

  private func options(
    _ traces: [String] = ["app.oftrace"], image: String? = "after", linkMap: String? = nil
  ) -> OrderGeneration.Options {
    var options = OrderGeneration.Options(traces: traces.map(builds.path))
    options.builds = .one(image: image.map(builds.path), linkMap: linkMap.map(builds.path))
    return options
  }

  private func lines(_ order: GeneratedOrder) -> [String] {
    String(decoding: order.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  private func order(_ options: OrderGeneration.Options) throws -> GeneratedOrder {
    var generation = try OrderGeneration(options)
    return try generation.order(ofImageNamed: generation.fileNames[0], outputPath: "x.order")
  }

  @Test func functionsComeInTheOrderOfTheirFirstUse() throws {
    let order = try order(options())
    #expect(lines(order) == SampleBuilds.used)
    #expect(order.image.recording.functions == 4)
    #expect(order.image.functions.resolved == 4)
    #expect(order.image.functions.startupBytes == 4 * SampleBuilds.size)
    #expect(order.imageFormat == .elf)
  }

  /// A linker had folded two functions, so that the trace has both names for one of them.
  @Test func functionsThatWereOneFunctionAreListedInTheOrderOfTheBuild() throws {
    try builds.writeImage(["f1", "z", "a", "f2"], "unfolded", id: [0xaf, 0x7f])
    try builds.writeTrace(
      "folded", of: [("app.rec", ["f2", "a", "f1"])],
      functions: ["f1", "f2", "a"], aliases: ["a": "z"])
    let order = try order(options(["folded"], image: "unfolded"))
    #expect(lines(order) == ["f2", "z", "a", "f1"])
  }

  @Test func byFirstHitASecondTraceAddsWhatItUsesBesides() throws {
    try builds.writeTrace("second", of: "app.rec", used: ["f4", "f1"])
    var options = options(["app.oftrace", "second"])
    options.strategy = .firstHit
    let first = try order(options)
    #expect(lines(first) == SampleBuilds.used + ["f1"])
    options.traces.reverse()
    #expect(try order(options).bytes == first.bytes)
    #expect(first.image.file.strategy == "first-hit")
  }

  @Test func theOrderOfSeveralTracesDoesNotMatter() throws {
    try builds.writeTrace("second", of: "app.rec", used: ["f4", "f1"])
    try builds.writeTrace("third", of: "app.rec", used: ["f1", "f9", "f12"])
    let traces = ["app.oftrace", "second", "third"]
    let first = try order(options(traces))
    #expect(first.image.file.strategy == "balanced")
    #expect(Set(lines(first)) == Set(SampleBuilds.used + ["f1", "f9"]))
    for other in [["third", "app.oftrace", "second"], traces.reversed()] {
      #expect(try order(options(other)).bytes == first.bytes)
    }
  }

  /// The arguments are files, folders and lists, weighted or not, in any order, and profiles of them in any grouping.
  @Test func theOrderOfTheArgumentsMakesNoDifference() throws {
    try FileManager.default.createDirectory(
      atPath: builds.path("more"), withIntermediateDirectories: false)
    let launches = [
      ["f4", "f1"], ["f1", "f4", "f9"], ["f2"], ["f4", "f1"], ["f0", "f8", "f12"],
    ]
    for (number, used) in launches.enumerated() {
      try builds.writeTrace("t\(number)", of: "app.rec", used: used)
      try builds.writeTrace("more/t\(number)", of: "app.rec", used: used)
    }
    try builds.write("other text", "more/notes.txt")
    try builds.write("# mine\n\n" + builds.path("t3") + "\n2," + builds.path("t4"), "list")
    func generated(_ traces: [String], _ weighted: [String] = []) throws -> GeneratedOrder {
      var options = options([])
      options.traces = traces
      options.weighted = weighted
      return try order(options)
    }
    func merged(_ paths: [String], _ name: String, weighted: [String] = []) throws -> String {
      var options = LaunchMerge.Options(paths: paths)
      options.weighted = weighted
      try builds.workshop.write(try LaunchMerge(options).bytes, name)
      return builds.path(name)
    }
    let traces = (0..<3).map { builds.path("t\($0)") }
    let list = "@" + builds.path("list")
    let weighted = "3," + builds.path("more")
    let expected = try generated(traces + [list], [weighted])
    #expect(expected.image.recording.launches == 3 + 1 + 2 + 3 * 5)
    #expect(expected.image.functions.uses.first { "\($0.name)" == "f1" }?.launches == 2 + 1 + 3 * 3)
    var random = SeededRandom(seed: 1)
    for _ in 0..<5 {
      let order = try generated((traces + [list]).shuffled(using: &random), [weighted])
      #expect(order.bytes == expected.bytes && order.image == expected.image)
    }
    let one = try merged([list, traces[1]], "one", weighted: [weighted])
    let two = try merged([traces[2], traces[0]], "two")
    let profile = try generated([one, two])
    #expect(
      profile.bytes == expected.bytes
        && profile.image.functions.uses == expected.image.functions.uses)
    let both = try merged([two, one], "both")
    #expect(try generated([both]).bytes == expected.bytes)
    #expect(
      try merged(traces + [list], "other", weighted: [weighted]) != both
        && builds.bytes("other") == builds.bytes("both"))
  }

  @Test func entriesKeepTheirPlacesInThePreviousOrder() throws {
    try builds.write("# mine\nf8\nf0\ngone\nf12\nf7\n", "old.order")
    var options = options()
    options.previous = builds.path("old.order")
    let order = try order(options)
    // f4 follows f8 in the trace; f7 is no longer used.
    #expect(lines(order) == ["f8", "f4", "f0", "f12", "f7"])
    var previous = OrderedImage.Previous(
      path: builds.path("old.order"), kept: 4, moved: 0, new: 1, leftOut: 1)
    previous.prediction = KeptPrediction(
      launches: 1, pages: .init(new: 1, kept: 1), faults: .init(new: 1, kept: 1))
    #expect(order.image.file.previous == previous)
    #expect(order.image.recording.functions == 4 && order.image.functions.resolved == 4)
    options.minSupport = .launches(2)
    options.traces.append(options.traces[0])
    // A function that few launches use is left out, even if the previous order has it.
    #expect(lines(try self.order(options)) == ["f8", "f4", "f0", "f12"])
  }

  @Test func aRenamedFunctionKeepsItsPlace() throws {
    let functions = SampleBuilds.functions.map { $0 == "f0" ? "f0.llvm.7" : $0 }
    try builds.writeImage(functions, "app.rec", id: [0x9f, 0x3a])
    try builds.writeTrace(
      "app.oftrace", of: "app.rec", functions: functions, used: ["f8", "f0.llvm.7", "f4"])
    try builds.write("f0.llvm.5\nf4\nf8\n", "old.order")
    var options = options(image: "app.rec")
    options.previous = builds.path("old.order")
    let order = try order(options)
    #expect(lines(order) == ["f0.llvm.7", "f4", "f8"])
    #expect(order.image.file.previous?.kept == 2 && order.image.file.previous?.new == 1)
  }

  @Test func aPreviousOrderOfAnotherProgramIsRefused() throws {
    try builds.write("g0\ng1\n", "other.order")
    try builds.write("# none yet\n", "empty.order")
    var options = options()
    options.previous = builds.path("other.order")
    #expect(throws: Diagnostic.self) { try order(options) }
    options.previous = builds.path("empty.order")
    #expect(lines(try order(options)) == SampleBuilds.used)
  }

  /// Returns whether the fallback would be used after the error; `nil` if there is no error.
  private func isOfMissingTraces(_ traces: [String], keepsGoing: Bool = false) -> Bool? {
    var options = options(traces)
    options.keepsGoing = keepsGoing
    return diagnostic { _ = try order(options) }.map { $0.kind == .missingTraces }
  }

  @Test func onlyMissingTracesLetTheFallbackBeUsed() throws {
    try FileManager.default.createDirectory(
      atPath: builds.path("none"), withIntermediateDirectories: false)
    try builds.writeTrace("nothing", of: "app.rec", used: [])
    try builds.writeTrace("elsewhere", of: "other", functions: ["g0"], used: ["g0"], id: [0x07])
    try builds.write("no trace", "broken")
    #expect(isOfMissingTraces(["app.oftrace"]) == nil)
    for missing in [["gone"], ["none"], ["nothing"], ["app.oftrace", "gone"], ["gone", "none/x"]] {
      #expect(isOfMissingTraces(missing) == true, "\(missing)")
    }
    #expect(isOfMissingTraces(["app.oftrace", "gone"], keepsGoing: true) == nil)
    #expect(isOfMissingTraces(["gone", "nothing"], keepsGoing: true) == true)
    for other in [["broken"], ["gone", "broken"], ["elsewhere"]] {
      #expect(isOfMissingTraces(other) == false, "\(other)")
      #expect(isOfMissingTraces(other, keepsGoing: true) == false, "\(other)")
    }
  }

  @Test func theFallbackIsUsedAsItIs() throws {
    let bytes = Array("# last\r\nf8\r\n\r\nf4\r\n".utf8)
    try builds.workshop.write(bytes, "last.order")
    let fallback = try FallbackOrder(builds.path("last.order"))
    #expect(fallback.bytes == bytes)
    var error = Diagnostic("nothing was recorded", context: ["t"], severity: .nothingRecorded)
    #expect(fallback.document(after: error, outputPath: "x") == nil)
    error.kind = .missingTraces
    let used = try #require(fallback.document(after: error, outputPath: "x")?.fallback)
    #expect(used.entries == 2 && used.reason == "t: nothing was recorded")
    #expect(used.outputPath == "x" && used.path == fallback.path)
    for text in ["", "# nothing\n", "a\0b\n"] {
      try builds.write(text, "last.order")
      #expect(throws: Diagnostic.self) { try FallbackOrder(builds.path("last.order")) }
    }
    #expect(throws: Diagnostic.self) { try FallbackOrder(builds.path("gone.order")) }
  }

  @Test func functionsThatFewLaunchesUsedCanBeLeftOut() throws {
    try builds.writeTrace("second", of: "app.rec", used: ["f4", "f1"])
    try builds.writeTrace("newer", of: "before", used: ["f1", "f4"], id: [0xbe, 0xf0])
    var options = options(["app.oftrace", "second", "newer"])
    for support in [MinSupport.launches(2), .share(Share(percent: 50))] {
      options.minSupport = support
      let order = try order(options)
      #expect(Set(lines(order)) == ["f4", "f1"])
      #expect(order.image.functions.rare == 3)
    }
    options.minSupport = .launches(3)
    // The launches of both builds count, including the launches of the ordered build.
    options.builds = .one(image: builds.path("app.rec"))
    #expect(lines(try order(options)) == ["f4"])
  }

  @Test func eachBuildThatWasLaunchedIsToldApart() throws {
    try builds.writeTrace(
      "newer", of: "before", functions: SampleBuilds.functions + ["gone"],
      used: ["f1", "f2", "f3", "gone"],
      id: [0xbe, 0xf0])
    var options = options(["app.oftrace", "newer"])
    options.traces.append(builds.path("newer"))
    let image = try order(options).image
    #expect(image.recording.builds.map(\.imageID) == ["9f3a", "bef0"])
    #expect(image.recording.builds.map(\.launches) == [1, 2])
    #expect(image.recording.builds.map(\.recordedFunctions) == [4, 4])
    #expect(image.recording.builds.map(\.resolvedFunctions) == [4, 3])
  }

  @Test func aFunctionThatManyLaunchesUsedCountsOnce() throws {
    let order = try order(options(["app.oftrace", "app.oftrace", "app.oftrace"]))
    #expect(order.image.recording.functions == 4 && order.image.functions.resolved == 4)
    #expect(order.image.recording.launches == 3)
  }

  @Test func ofNamesakesAsManyAreOrderedAsTheBuildHas() throws {
    try builds.writeImage(["main", "twin"], "fewer", id: [0xfe])
    let image = TraceWriter.Image(path: builds.path("app.rec"), id: [0x77])
    var trace = TraceWriter()
    trace.program = image.path
    trace.addLoad(image)
    trace.names = ["main", "twin", "twin", "twin"].enumerated().map { index, name in
      let address = 0x1000 + SampleBuilds.size * UInt64(index)
      trace.addHit(image, guard: UInt64(index), entry: address)
      return TraceWriter.Name(address: address, size: SampleBuilds.size, name: name)
    }
    try builds.workshop.write(trace.bytes(), "twins")
    let order = try order(options(["twins"], image: "fewer"))
    #expect(order.image.recording.functions == 4 && order.image.functions.resolved == 2)
    #expect(
      order.image.functions.missing.map { "\($0.name): \($0.reason)" } == [
        "twin: renamed, inlined, merged or removed in the release build"
      ])
  }

  @Test func whatIsInOtherImagesIsWarnedOf() throws {
    try builds.writeTrace("two", of: [("libb.so", ["f1", "f2"]), ("app.rec", ["f3"])])
    var generation = try OrderGeneration(options(["two"]))
    let order = try generation.order(ofImageNamed: "app.rec", outputPath: "x")
    #expect(lines(order) == ["f3"])
    #expect(
      generation.warnings.map(\.message) == [
        "2 of 3 hits are not used: 2 in 'libb.so' (2 functions)"
      ])
    #expect(generation.unused.map(\.image) == [builds.path("libb.so")])
    #expect(generation.unused.map(\.imageID) == ["000b"])
  }

  @Test func tracesOfBuildsThatAreCalledOtherwiseAreUsedIfTheirFunctionsAreThose() throws {
    try builds.writeTrace("default", of: "app-default", used: ["f1"], id: [8])
    var generation = try OrderGeneration(options(["default", "app.oftrace"], image: "app.rec"))
    let order = try generation.order(ofImageNamed: "app.rec", outputPath: "x")
    #expect(Set(lines(order)) == Set(["f1"] + SampleBuilds.used))
    #expect(generation.unused.isEmpty)
    #expect(generation.warnings.count == 1, "what was taken for a build of it")
  }

  @Test func twoBuildsOfOneImageAreRefused() throws {
    var options = options()
    let build = builds.path("app.rec")
    options.builds = .each(images: [build, build])
    let error = diagnostic { _ = try OrderGeneration(options) }
    #expect(error?.message == "another build of 'app.rec' was already given")
  }

  @Test func theSameTracesGiveTheSameBytes() throws {
    #expect(try order(options()).bytes == order(options()).bytes)
  }

  @Test func largeFunctionsGoBehindIfThatIsAskedFor() throws {
    try builds.workshop.write(
      sampleImage(SampleBuilds.functions, size: 0x800, id: [1]), "large")
    var options = options(image: "large")
    options.largeFunctionBytes = 0x800
    #expect(lines(try order(options)).count == 4)
    options.largeFunctionBytes = 1 << 20
    #expect(lines(try order(options)) == SampleBuilds.used)
  }

  @Test func functionsThatTheBuildLacksAreLeftOutWithTheReason() throws {
    try builds.writeImage(["f0", "f4", "f8"], "smaller", id: [5])
    let order = try order(options(image: "smaller"))
    #expect(lines(order) == ["f0", "f8", "f4"])
    #expect(order.image.functions.missing.map { "\($0.name)" } == ["f12"])
  }

  @Test func anotherProgramIsRefused() throws {
    let error = diagnostic { _ = try order(options(image: "other")) }
    #expect(error?.severity == .mismatch)
    #expect(error?.message.hasPrefix("only 0 of 4 recorded functions are in this image") ?? false)
  }

  @Test func aDialectOfAnotherImageFormatIsRefused() throws {
    var options = options()
    options.linker = OrderFileDialect(name: "ld64")
    let error = diagnostic { _ = try order(options) }
    #expect(error?.severity == .mismatch)
    #expect(error?.hint == "leave out '--linker', or use one of: gnu-ld, gold, lld")
  }

  @Test func withoutABuildTheRecordedOneIsOrdered() throws {
    #expect(lines(try order(options(image: nil))) == SampleBuilds.used)
    try builds.writeTrace("gone", of: "gone", used: ["f0"])
    let error = diagnostic { _ = try order(options(["gone"], image: nil)) }
    #expect(error?.message == "missing the build to order")
  }

  /// A trace may be large, and there may be hundreds of images.
  @Test func tracesAreReadOnceForAllImages() throws {
    let names = ["liba.so", "libb.so"]
    try builds.writeTrace("three", of: names.map { ($0, ["f1", "f2"]) } + [("app.rec", ["f3"])])
    for (number, name) in names.enumerated() {
      try builds.writeImage(SampleBuilds.functions, name, id: [UInt8(number), 0x0b])
    }
    var options = options(["three"])
    options.builds = .each(images: [])
    var generation = try OrderGeneration(options)
    #expect(generation.fileNames == names + ["app.rec"])
    for (number, name) in generation.fileNames.enumerated() {
      let order = try generation.order(ofImageNamed: name, outputPath: "x")
      #expect(lines(order) == (number < 2 ? ["f1", "f2"] : ["f3"]))
      // Everything that is needed of the trace was read before.
      try builds.write("", "three")
    }
  }

  @Test func eachRecordedImageCanHaveAnOrderOfItsOwn() throws {
    var options = options()
    options.builds = .each(images: [])
    var generation = try OrderGeneration(options)
    #expect(generation.fileNames == ["app.rec"])
    let order = try generation.order(ofImageNamed: "app.rec", outputPath: "x")
    #expect(lines(order) == SampleBuilds.used)
    options.builds = .each(images: [builds.path("other")])
    let error = diagnostic { _ = try OrderGeneration(options) }
    #expect(error?.message == "missing image 'other' in the traces")
  }
}
