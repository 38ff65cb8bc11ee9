import ImageModel
import OrderFileFormat
import Projects
import Testing

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
    let link = ["-fuse-ld=lld", "-Wl,--build-id", "-Wl,--symbol-ordering-file=/o/a.order"]
    #expect(Toolchain.c.compileOptions == ["-ffunction-sections"])
    #expect(Toolchain.c.linkOptions(.lld, orderFile: "/o/a.order") == link)
    let rust = Toolchain.rust
    #expect(rust.compileOptions == [])
    #expect(rust.linkOptions(.lld, orderFile: "/o/a.order") == link.map { "-Clink-arg=\($0)" })
    let swift = Toolchain.swift(imageFolder: ".build/release")
    #expect(swift.compileOptions.suffix(2) == ["-Xcc", "-ffunction-sections"])
    #expect(
      swift.linkOptions(.lld, orderFile: "/o/a.order") == [
        "-Xlinker", "--build-id", "-Xlinker", "--symbol-ordering-file=/o/a.order",
      ])
    #expect(
      swift.linkOptions(.lld, orderFile: "/o/a.order", splitBy: "/p").suffix(8) == [
        "-Xlinker", "--lto-basic-block-address-map", "-Xlinker", "--lto-basic-block-sections=/p",
        "-Xlinker", "-mllvm", "-Xlinker", "--save-temp-labels",
      ])
  }

  @Test(arguments: [
    (["cargo", "build"], Toolchain.rust), (["make"], .c),
    (["swift", "build"], .swift(imageFolder: ".build/release")),
  ])
  func theToolchainOfACommandIsThatOfItsBuildSystem(words: [String], toolchain: Toolchain) {
    let system = BuildSystem(command: words)
    #expect(system.toolchain == toolchain)
    #expect(system.toolchain.compilesC == (words == ["make"]))
    #expect(system.toolchain.onlyLinker == (words[0] == "swift" ? .lld : nil))
    #expect(system.buildConfigures == (words == ["make"]))
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
    // A rule of make prints what to do, as in Linux and busybox.
    (
      "***\n*** Configuration file \".config\" not found!\n***\n*** Please run some configurator (e.g. \"make oldconfig\" or\n*** \"make menuconfig\" or \"make xconfig\").\n***\nmake[1]: *** [Makefile:2: silentoldconfig] Error 1\nmake: *** [Makefile:9: app] Error 2\n",
      "Please run some configurator (e.g. \"make oldconfig\" or \"make menuconfig\" or \"make xconfig\")."
    ),
    (
      "*** Warning: no icons\ncc -c a.c\na.c:1:2: error: no\nmake: *** [Makefile:1: a.o] Error 1\n",
      "a.c:1:2: error: no"
    ),
    (
      "Makefile:2: *** Please run ./configure first.  Stop.\nend\n",
      "Makefile:2: *** Please run ./configure first.  Stop."
    ),
    (
      "make: foogen: No such file or directory\nmake: *** [Makefile:2: a] Error 127\n",
      "make: foogen: No such file or directory"
    ),
    // A program that calls a linker or compiler says less about an error than the linker or compiler.
    (
      "[2/2] Linking C executable a\nFAILED: a \n/usr/bin/ld: a.c.o: in function `main':\na.c:(.text+0x5): undefined reference to `f'\ncollect2: error: ld returned 1 exit status\nninja: build stopped: subcommand failed.\n",
      "a.c:(.text+0x5): undefined reference to `f'"
    ),
    (
      "/usr/bin/ld: cannot find -lfoo: No such file or directory\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: a] Error 1\n",
      "/usr/bin/ld: cannot find -lfoo: No such file or directory"
    ),
    (
      "collect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: a] Error 1\n",
      "collect2: error: ld returned 1 exit status"
    ),
    (
      "error[E0308]: mismatched types\n --> src/main.rs:1:26\nerror: could not compile `a` (bin \"a\") due to 1 previous error\n",
      "error[E0308]: mismatched types"
    ),
    (
      "error: linking with `cc` failed: exit status: 1\n  = note:  \"cc\" \"-m64\"\n  = note: rust-lld: error: unable to find library -lfoo\n          collect2: error: ld returned 1 exit status\n",
      "= note: rust-lld: error: unable to find library -lfoo"
    ),
    (
      "error: failed to run custom build command for `a v0.1.0 (/a)`\nCaused by:\n  --- stderr\n  thread 'main' (1) panicked at build.rs:1:13:\n  The system library `foo` required by crate `foo-sys` was not found.\n",
      "The system library `foo` required by crate `foo-sys` was not found."
    ),
    (
      "Run-time dependency foo found: NO (tried pkgconfig and cmake)\n\nmeson.build:2:0: ERROR: Dependency \"foo\" not found, tried pkgconfig and cmake\n\nA full log can be found at /b/meson-log.txt\n",
      "meson.build:2:0: ERROR: Dependency \"foo\" not found, tried pkgconfig and cmake"
    ),
    (
      "-- Found PkgConfig: /usr/bin/pkg-config (found version \"1.8.1\")\n-- Checking for module 'foo>=2'\n--   Package 'foo', required by 'virtual:world', not found\nCMake Error at /usr/share/cmake-3.25/Modules/FindPkgConfig.cmake:607 (message):\n  A required package was not found\nCall Stack (most recent call first):\n",
      "Package 'foo', required by 'virtual:world', not found"
    ),
    (
      "CMake Error at CMakeLists.txt:3 (find_package):\n  By not providing \"FindFoo.cmake\" in CMAKE_MODULE_PATH this project has\n  asked CMake to find a package configuration file provided by \"Foo\", but\n  CMake did not find one.\n\n  Could not find a package configuration file provided by \"Foo\" with any of\n  the following names:\n-- Configuring incomplete, errors occurred!\n",
      "Could not find a package configuration file provided by \"Foo\" with any of"
    ),
  ])
  func isTheLineThatTellsMost(output: String, line: String?) {
    #expect(FailureCause.line(in: output) == line)
  }

  @Test(arguments: [
    ("WARNING: 'aclocal-1.16' is missing on your system.\nmake: *** Error 127\n", "autoreconf"),
    ("sh: 1: automake: not found\n", "autoreconf"),
    ("cp: error writing 'a': No space left on device\n", "--output"),
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
    ("a.c:1:10: fatal error: foo.h: No such file or directory\n", "install the missing tool"),
    ("a.c:1:10: fatal error: 'foo.h' file not found\n", "install the missing tool"),
    ("ld.lld: error: unable to find library -lx\n", "install the missing tool"),
    (
      "/usr/bin/ld: cannot find -lx\ncollect2: error: ld returned 1 exit status\n",
      "install the missing tool"
    ),
    ("sh: 1: foogen: not found\nmake: *** [Makefile:2: a] Error 127\n", "install the missing tool"),
    (
      "Program doxygen found: NO\nmeson.build:2:0: ERROR: Dependency \"foo\" not found, tried pkgconfig\n",
      "install the missing tool"
    ),
    ("-- Could NOT find Doxygen\na.c:1:2: error: no\n", nil),
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
