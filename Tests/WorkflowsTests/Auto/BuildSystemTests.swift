import ImageModel
import OrderFileFormat
import Testing
import Workflows

@Suite struct BuildSystemTests {
  @Test(arguments: [
    (["CMakeLists.txt", "src"], ["cmake"]), (["meson.build"], ["meson"]),
    (["Cargo.toml"], ["cargo"]),
    (["configure", "Makefile.in", "Makefile"], ["autotools"]), (["configure.ac"], ["autotools"]),
    (["autogen.sh", "configure.ac"], ["autotools"]), (["GNUmakefile"], ["make"]), (["README"], []),
    (["CMakeLists.txt", "configure", "Makefile"], ["cmake", "autotools"]),
    (["CMakeLists.txt", "Package.swift"], ["swiftpm", "cmake"]),
  ])
  func isFoundByItsFiles(names: [String], systems: [String]) {
    #expect(BuildSystem.all(in: Set(names), jobs: 2).map(\.name) == systems)
  }

  @Test func aFolderCalledBuildStaysTheProjects() {
    let own = BuildSystem.all(in: ["CMakeLists.txt", "build"], jobs: 3)
    #expect(own[0].build == "cmake --build build-orderfile -j 3")
    #expect(own[0].configure == "cmake -S . -B build-orderfile -DCMAKE_BUILD_TYPE=Release")
    let told = BuildSystem.all(in: ["CMakeLists.txt"], jobs: 3, generator: "Ninja")[0]
    #expect(told.configure == "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release")
  }

  @Test(arguments: [
    (["make", "-C", "a b"], "command", "make -C 'a b'", nil),
    (["sh", "-c", "swift build"], "command", "sh -c 'swift build'", nil),
    (["cargo", "build", "--bin", "x"], "cargo", "cargo build --release --bin x", nil),
    (["cargo", "b", "--profile=dist"], "cargo", "cargo b --profile=dist", nil),
    (["cargo", "test"], "command", "cargo test", nil),
    (
      ["swift", "build", "--product", "x"], "swiftpm",
      "swift build -c release --product x --toolset ", ".build/release"
    ),
    (
      ["swift", "build", "--package-path", "p", "--configuration=debug"], "swiftpm",
      "swift build --package-path p --configuration=debug --toolset ", "p/.build/debug"
    ),
    (
      ["swift", "build", "-c", "release", "--scratch-path", "s"], "swiftpm",
      "swift build -c release --scratch-path s --toolset ", "s/release"
    ),
  ])
  func aCommandMayBeThatOfABuildSystem(
    words: [String], name: String, command: String, folder: String?
  ) {
    let system = BuildSystem(command: words)
    #expect(system.name == name && system.imageFolder == folder)
    #expect(folder == nil ? system.build == command : system.build.hasPrefix(command))
  }

  @Test func theOptionsAreAsTheCompilersTakeThem() {
    let make = BuildSystem(name: "make", build: "make")
    let link = ["-fuse-ld=lld", "-Wl,--build-id", "-Wl,--symbol-ordering-file=/o/a.order"]
    #expect(make.compileOptions == ["-ffunction-sections"])
    #expect(make.linkOptions(.lld, orderFile: "/o/a.order") == link)
    let cargo = BuildSystem(name: "cargo", build: "cargo build --release")
    #expect(cargo.compileOptions == [])
    #expect(cargo.linkOptions(.lld, orderFile: "/o/a.order") == link.map { "-Clink-arg=\($0)" })
  }

  @Test func oneOfSeveralIsChosenByItsName() throws {
    let found = BuildSystem.all(in: ["CMakeLists.txt", "Makefile"], jobs: 1)
    #expect(try BuildSystem.only(of: found, wanted: "make", project: "/p").name == "make")
    for (wanted, message) in [
      (nil, "several build systems: cmake, make"),
      ("meson", "no build system 'meson': found cmake, make"),
    ] {
      let error = #expect(throws: Diagnostic.self) {
        try BuildSystem.only(of: found, wanted: wanted, project: "/p")
      }
      #expect(error?.message == message && error?.severity == .usage)
    }
    let none = #expect(throws: Diagnostic.self) {
      try BuildSystem.only(of: [], wanted: nil, project: "/p")
    }
    #expect(none?.description.contains("/p: no build system: expected CMakeLists.txt") ?? false)
  }
}

@Suite struct FailureCauseTests {
  @Test(arguments: [
    ("cc -c error.c\nerror.c:1:2: error: no\nmake: *** [app] Error 1\n", "error.c:1:2: error: no"),
    (
      "checking for error: x... no\nconfigure: error: no compiler\n",
      "configure: error: no compiler"
    ),
    (
      "CMake Error at CMakeLists.txt:3 (include):\n  could not find x\n",
      "CMake Error at CMakeLists.txt:3 (include): could not find x"
    ),
    (
      "CMake Error: Error: generator : Ninja\nDoes not match the generator used previously\n",
      "CMake Error: Error: generator : Ninja Does not match the generator used previously"
    ),
    (
      "make: *** No rule to make target 'a'.  Stop.\n",
      "make: *** No rule to make target 'a'.  Stop."
    ),
    ("a.c: error: x\ncc: No space left on device\n", "cc: No space left on device"),
    ("one\ntwo\n\n", "two"), ("", nil),
  ])
  func isTheLineThatTellsMost(output: String, line: String?) {
    #expect(FailureCause.line(in: output) == line)
  }

  @Test(arguments: [
    ("WARNING: 'aclocal-1.16' is missing on your system.\nmake: *** Error 127\n", "autoreconf"),
    ("sh: 1: automake: not found\n", "autoreconf"),
    ("cp: error writing 'a': No space left on device\n", "--out"),
    ("ld.lld: error: unable to find library -lx\n", "--linker gnu-ld"),
    ("ld.lld: error: duplicate symbol: x\n", "-fcommon"),
    ("a.o:(.bss+0x0): multiple definition of `x'; b.o:(.bss+0x0): first\n", "-fcommon"),
    ("collect2: fatal error: cannot find ‘ld’\ncompilation terminated.\n", "--linker gnu-ld"),
    ("fatal: unable to access 'https://a/': Could not resolve host: a\n", "download failed"),
    (
      "CMake Error at a.cmake:39 (message):\n  Failed to clone repository: 'https://a/b.git'\n",
      "build without it"
    ),
    ("error: failed to get `itoa` as a dependency of package `app v0.1.0 (/p)`\n", "cargo fetch"),
    (
      "Fetching https://a/x.git\nerror: Git command 'git -C /a config --get remote.origin.url' failed: b\n",
      "download failed"
    ),
    ("checking for automake... not found\nchecking for aclocal... no\na.c:1: error: x\n", nil),
    ("cp automake.conf build\na.c:1: error: x\n", nil),
  ])
  func theRemedyIsForTheCauseThatALineTells(output: String, word: String?) {
    let remedy = FailureCause.remedy(in: output)
    #expect(word.map { remedy?.contains($0) ?? false } ?? (remedy == nil), "\(remedy ?? "none")")
  }

  @Test(arguments: [
    (
      "a\n touch: cannot touch '/x': Permission denied\n",
      "touch: cannot touch '/x': Permission denied"
    ),
    (
      "error: failed to open `/x/y`: Permission denied (os error 13)\n",
      "error: failed to open `/x/y`: Permission denied (os error 13)"
    ),
    (
      "sh: 1: cannot create ../x: Permission denied\n",
      "sh: 1: cannot create ../x: Permission denied"
    ),
    ("/bin/sh: 1: ./build.sh: Permission denied\n", nil),
    ("sh: 1: ./build.sh: Permission denied\n", nil), ("cat: '/out/a': Permission denied\n", nil),
    ("error: no\n", nil),
  ])
  func aRefusedWriteIsTheLineThatNamesAPathElsewhere(output: String, line: String?) {
    #expect(FailureCause.refusedWrite(in: output, outside: "/out") == line)
  }
}
