import Foundation
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Tests reading stripped Mach-O images, whose functions are named by a dSYM.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-strip-19")) struct MachODebugFileIntegrations {
  /// Name, address, size and scope of each function.
  static func lines(_ image: Image) -> [String] {
    image.layout.functions.map {
      "\($0.address) \($0.knownBytes) \(image.layout.name(of: $0))\($0.isLocal ? " local" : "")"
    }
  }

  /// A build with `image`, its dSYM, and the stripped image `stripped`.
  static func build(
    _ platform: AppleSDK.Platform = .iOS, dwarf: String = "-gdwarf-5", strip: [String] = [],
    named name: String = "image"
  ) throws -> MachOBuild {
    let build = try MachOBuild(platform, flags: [dwarf], named: name)
    try build.run(build.sdk.dsymutil, [name, "-o", "\(name).dSYM"])
    try build.run("llvm-strip-19", strip + [name, "-o", "stripped"])
    return build
  }

  @Test(arguments: AppleSDK.Platform.allCases)
  func theSymbolsOfTheDSYMAreThoseOfTheImage(_ platform: AppleSDK.Platform) throws {
    for strip in [[], ["-x"]] {
      let build = try Self.build(platform, strip: strip)
      let whole = try build.read().image
      let (image, warnings) = try build.read("stripped", debugFile: "image.dSYM")
      #expect(warnings.isEmpty)
      let path = build.path("image.dSYM/Contents/Resources/DWARF/image")
      #expect(image.symbolSource == .debugFile(path: path))
      #expect(image.id == whole.id)
      #expect(Self.lines(image) == Self.lines(whole))
      #expect(image.layout.sections == whole.layout.sections)
      #expect(image.initializers == whole.initializers)
    }
  }

  /// The symbols are removed from the dSYM, so that only its DWARF remains.
  @Test(arguments: ["-gdwarf-4", "-gdwarf-5"], AppleSDK.Platform.allCases)
  func dwarfAloneNamesTheFunctions(version: String, platform: AppleSDK.Platform) throws {
    let build = try Self.build(platform, dwarf: version)
    let whole = try build.read().image
    let path = "image.dSYM/Contents/Resources/DWARF/image"
    try build.removeSymbols(from: path)
    let units = try build.run("llvm-dwarfdump-19", ["--debug-info", "-r", "0", path])
    #expect(units.contains("version = 0x000\(version.suffix(1))"))
    let (image, warnings) = try build.read("stripped", debugFile: path)
    #expect(warnings.isEmpty)
    #expect(image.symbolSource == .debugFileInformation(path: build.path(path)))
    // Assembly has no DWARF. Whether a name is local is not read from DWARF.
    let assembly = ["_alias", "_outer", "_inner", "_unnamed"]
    let expected = Self.lines(whole).map { $0.replacing(" local", with: "") }.filter { line in
      !assembly.contains { line.hasSuffix(" \($0)") }
    }
    let found = Self.lines(image).map { $0.replacing(" local", with: "") }
    #expect(found == expected)
    #expect(found.contains { $0.hasSuffix(" -[Root add:to:]") })
    #expect(found.contains { $0.hasSuffix(" __ZN12_GLOBAL__N_16hiddenEi") })
  }

  /// The remaining symbols of the image name functions that are not in the DWARF.
  @Test func exportedNamesStandBesideDWARF() throws {
    let build = try Self.build(strip: ["-x"])
    let whole = try build.read().image
    let path = "image.dSYM/Contents/Resources/DWARF/image"
    try build.removeSymbols(from: path)
    let image = try build.read("stripped", debugFile: path).image
    #expect(
      Self.lines(image).map { $0.replacing(" local", with: "") }
        == Self.lines(whole).map { $0.replacing(" local", with: "") })
  }

  @Test(.needs("swiftc")) func swiftHasItsSymbolsToo() throws {
    let sources = [
      (
        name: "app.swift",
        text: """
        struct Point { var x: Int; func scaled(_ n: Int) -> Int { var s = 0; for i in 0..<n { s &+= i &* x }; return s } }
        @inline(never) func helper(_ point: Point) -> Int { point.scaled(9) }
        @_cdecl("main") public func main(_ count: Int) -> Int { helper(Point(x: count)) }
        """
      )
    ]
    let build = try MachOBuild(.iOS, flags: ["-g"], sources: sources)
    try build.run(build.sdk.dsymutil, ["image"])
    try build.run("llvm-strip-19", ["image", "-o", "stripped"])
    let image = try build.read("stripped", debugFile: "image.dSYM").image
    #expect(Self.lines(image) == Self.lines(try build.read().image))
    #expect(Self.lines(image).contains { $0.contains("6helper") })
  }

  /// The places where a dSYM is found if the command line does not name it. The image is `App`.
  @Test(
    arguments: [
      ("App", "App.dSYM"),
      ("App.app/App", "App.app.dSYM"),
      ("App.app/Contents/MacOS/App", "App.app.dSYM"),
      ("Kit.framework/Versions/A/App", "Kit.framework.dSYM"),
      ("App.app/Frameworks/Kit.framework/App", "App.app/Frameworks/Kit.framework.dSYM"),
      ("A.xcarchive/Products/Applications/App.app/App", "A.xcarchive/dSYMs/App.app.dSYM"),
      (
        "A.xcarchive/Products/Applications/App.app/Frameworks/Kit.framework/App",
        "A.xcarchive/dSYMs/Kit.framework.dSYM"
      ),
    ])
  func theDSYMIsFound(image: String, bundle: String) throws {
    let build = try Self.build(named: "App")
    let whole = try build.read("App").image
    try build.move("App.dSYM", to: "kept.dSYM")
    try FileManager.default.removeItem(atPath: build.path("App"))
    try build.move("stripped", to: image)
    try build.move("kept.dSYM", to: bundle)
    let (found, warnings) = try build.read(image)
    #expect(warnings.isEmpty)
    #expect(
      found.symbolSource
        == .debugFile(path: build.path(bundle + "/Contents/Resources/DWARF/App")))
    #expect(Self.lines(found) == Self.lines(whole))
  }

  @Test(arguments: ["App.dSYM", "App.dSYM/", "App.dSYM/Contents/Resources/DWARF/App", "App"])
  func theDSYMOrTheFileInItCanBeNamed(debugFile: String) throws {
    let build = try Self.build(named: "App")
    // The dSYM is found by its own name, although the image has another name.
    let found = try build.read("stripped", debugFile: debugFile).image
    #expect(Self.lines(found) == Self.lines(try build.read("App").image))
  }

  @Test func aBundlesDSYMCanBeNamedForARenamedImage() throws {
    let build = try Self.build(named: "App")
    try build.move("App.dSYM", to: "App.app.dSYM")
    let found = try build.read("stripped", debugFile: "App.app.dSYM").image
    #expect(Self.lines(found) == Self.lines(try build.read("App").image))
  }

  /// The slices of a fat dSYM are told apart by their UUIDs.
  @Test func theSliceOfAFatDSYMIsThatOfTheUUID() throws {
    let arm = try Self.build(.macOS)
    let intel = try Self.build(.macOSx8664)
    let file = "image.dSYM/Contents/Resources/DWARF/image"
    try arm.run(
      arm.sdk.lipo, ["-create", intel.path(file), arm.path(file), "-output", "fat.debug"])
    for build in [arm, intel] {
      let path = arm.path("fat.debug")
      let (image, _) = try Image.reading(path: build.path("stripped"), debugFile: path)
      #expect(image.symbolSource == .debugFile(path: path))
      #expect(Self.lines(image) == Self.lines(try build.read().image))
    }
    // A slice of the image is told apart by its UUID, too.
    try arm.run(
      arm.sdk.lipo, ["-create", intel.path("stripped"), arm.path("stripped"), "-output", "fat"])
    let slice = try arm.read("fat", debugFile: "fat.debug", slice: SliceChoice(.x8664)).image
    #expect(Self.lines(slice) == Self.lines(try intel.read().image))
  }

  @Test func anotherBuildsDSYMIsRefusedWithBothUUIDs() throws {
    let build = try Self.build()
    let other = try Self.build(.macOS)
    let error = #expect(throws: Diagnostic.self) {
      try Image.reading(path: build.path("stripped"), debugFile: other.path("image.dSYM"))
    }
    let mine = try #require(try build.read().image.id)
    let its = try #require(try other.read().image.id)
    #expect(error?.severity == .mismatch)
    #expect(
      error?.description == other.path("image.dSYM/Contents/Resources/DWARF/image")
        + ": UUID mismatch: expected \(mine), found \(its)")
  }

  @Test func withoutADSYMTheWarningSaysWhatIsMissingAndWhereItWasLookedFor() throws {
    let build = try Self.build()
    let (image, warnings) = try build.read("stripped")
    #expect(image.symbolSource == .dynamicSymbols)
    #expect(Self.lines(image).count == 1, "the loader needs a weak function's name: _weak")
    let starts = try #require(Tool("llvm-objdump-19")).run([
      "--macho", "--function-starts=addrs", build.path("image"),
    ]).split(separator: "\n").count { UInt64($0, radix: 16) != nil }
    let path = build.path("stripped")
    #expect(
      warnings.map(\.description) == [
        """
        \(path): missing symbols: \(starts - 1) of \(starts) functions have no name
          tried \(path).dSYM/Contents/Resources/DWARF/stripped: No such file or directory
          hint: use the unstripped image, or give its dSYM with '--debug-file'
        """
      ])
  }

  /// A folder is a bundle if it has a bundle's suffix, so `python3.11` is not one.
  @Test(arguments: ["lib/python3.11/kit.so": 1, "Kit.framework/Versions/1.2/Kit": 2])
  func noDSYMIsSoughtBesideTheFolderOfAVersion(image: String, count: Int) throws {
    let build = try Self.build()
    try build.move("stripped", to: image)
    let warnings = try build.read(image).warnings
    #expect(warnings.map { $0.message.split(separator: "\n").count - 1 } == [count])
  }

  @Test func aDSYMIsNoImage() throws {
    let build = try Self.build()
    let error = #expect(throws: Diagnostic.self) {
      try build.read("image.dSYM/Contents/Resources/DWARF/image")
    }
    #expect(error?.message.hasPrefix("unsupported filetype: found MH_DSYM") == true)
    #expect(
      error?.hint
        == "give the image instead of its dSYM, or give the image, and the dSYM with '--debug-file'"
    )
  }

  /// `strip -x` takes local names: an exported function before a nameless one keeps its own size.
  @Test func exportedFunctionsDoNotSwallowTheirNamelessNeighbours() throws {
    let build = try Self.build(strip: ["-x"])
    let (image, warnings) = try build.read("stripped")
    #expect(image.symbolSource == .dynamicSymbols)
    #expect(warnings.count == 1)
    let whole = try build.read().image
    #expect(!image.layout.functions.isEmpty)
    #expect(Set(Self.lines(whole)).isSuperset(of: Self.lines(image)))
  }

  @Test func aDebugFileThatIsNotNeededIsSaidToBe() throws {
    let build = try Self.build()
    let warnings = try build.read(debugFile: "image.dSYM").warnings
    #expect(warnings.map(\.message) == ["debug file ignored: the image has a symbol table"])
  }

  @Test func whatIsNoDSYMIsRefused() throws {
    let build = try Self.build()
    try build.workshop.write([UInt8]("text, and no object file".utf8), "text")
    for (name, message) in [
      ("text", "invalid file"), ("main.c.o", "UUID mismatch: expected "),
      ("image.dSYM/Contents", "Is a directory"), ("none.dSYM", "No such file or directory"),
    ] {
      let error = #expect(throws: Diagnostic.self) {
        try build.read("stripped", debugFile: name)
      }
      #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
    }
  }
}
