import Foundation
import TestSupport
import Testing

/// A Mach-O file that the real compiler and the real linker made for these tests.
struct AppleFile: CustomTestStringConvertible, Sendable {
  enum Kind { case object, image, debugSymbols }
  var name: String
  var kind = Kind.image
  var platform: AppleSDK.Platform
  var linkerFlags: [String] = []
  var isStripped = false
  var testDescription: String { name }

  static let all = [
    Self(name: "iOS", platform: .iOS),
    Self(name: "macOS", platform: .macOS),
    Self(name: "x86_64", platform: .macOSx8664),
    Self(name: "iOS, dead code stripped", platform: .iOS, linkerFlags: ["-dead_strip"]),
    Self(
      name: "iOS, relative method lists", platform: .iOS,
      linkerFlags: ["-objc_relative_method_lists"]),
    Self(
      name: "iOS, rebase opcodes", platform: .iOS,
      linkerFlags: ["-no_fixup_chains", "-no_objc_relative_method_lists"]),
    Self(
      name: "iOS, rebase opcodes, initializer offsets", platform: .iOS,
      linkerFlags: ["-no_fixup_chains", "-init_offsets", "-objc_relative_method_lists"]),
    Self(name: "x86_64, chained fixups", platform: .macOSx8664, linkerFlags: ["-fixup_chains"]),
    Self(
      name: "macOS, relative method lists", platform: .macOS,
      linkerFlags: ["-objc_relative_method_lists", "-no_fixup_chains"]),
    Self(name: "dylib", platform: .iOS, linkerFlags: ["-dylib"]),
    Self(name: "bundle", platform: .macOS, linkerFlags: ["-bundle", "-no_uuid"]),
    Self(name: "iOS, stripped", platform: .iOS, isStripped: true),
    Self(name: "x86_64, stripped", platform: .macOSx8664, isStripped: true),
    Self(name: "object", kind: .object, platform: .iOS),
    Self(name: "x86_64 object", kind: .object, platform: .macOSx8664),
    Self(name: "dSYM", kind: .debugSymbols, platform: .iOS),
  ]

  static let images = all.filter { $0.kind == .image }
  static let unstrippedImages = images.filter { !$0.isStripped }

  /// The bytes of the file. The first call builds all these files.
  func bytes() throws -> [UInt8] {
    try #require(try Self.built.get()[name])
  }

  /// Writes it to a folder of its own.
  ///
  /// - Returns: the path; it lasts as long as the folder.
  func write() throws -> (path: String, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    return (try folder.write(bytes(), "file"), folder)
  }

  private static let built = Result { try build() }

  private static func build() throws -> [String: [UInt8]] {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    for (name, text) in sources { try workshop.write(text.utf8, name) }
    for platform in AppleSDK.Platform.allCases {
      for (name, _) in sources {
        try sdk.compile(
          name, to: objectName(name, platform), for: platform,
          flags: ["-g", "-fno-exceptions"], in: workshop)
      }
    }
    var result: [String: [UInt8]] = [:]
    for file in all {
      var output = "image"
      switch file.kind {
      case .object: output = objectName("main.c", file.platform)
      case .image, .debugSymbols:
        try sdk.link(
          sources.map { objectName($0.name, file.platform) }, to: output, for: file.platform,
          flags: file.linkerFlags, in: workshop)
      }
      if file.isStripped { _ = try workshop.run("llvm-strip-19", [output]) }
      if file.kind == .debugSymbols {
        _ = try workshop.run(sdk.dsymutil, [output, "-o", "image.dSYM"])
        output = "image.dSYM/Contents/Resources/DWARF/image"
      }
      result[file.name] = [UInt8](
        try Data(contentsOf: workshop.folder.appendingPathComponent(output)))
    }
    return result
  }

  private static func objectName(_ source: String, _ platform: AppleSDK.Platform) -> String {
    "\(platform.rawValue)-\(source).o"
  }

  /// A source with one symbol of each kind: `+load` in a class, its subclass and a category, instance methods that are
  /// called `load`, too, constructors of C and C++, weak, hidden, static, cold, absolute and common symbols, a second
  /// entry.
  private static let sources: [(name: String, text: String)] = [
    (
      "classes.m",
      """
      __attribute__((objc_root_class)) @interface Root { Class isa; }
      + (void)load; + (int)other; - (void)load;
      @end
      int counter;
      // Named before its superclass in every list that follows the source.
      @interface Leaf : Root @end
      @implementation Leaf
      + (void)load { counter += 2; }
      @end
      @implementation Root
      + (int)other { return counter; }
      + (void)load { counter++; }
      - (void)load { counter += 7; }
      @end
      @interface Quiet : Root @end
      @implementation Quiet
      - (void)load { counter += 3; }
      @end
      @interface Root (Extra) + (void)load; + (void)more; @end
      @implementation Root (Extra)
      + (void)more { counter += 11; }
      + (void)load { counter += 5; }
      @end
      """
    ),
    (
      "main.c",
      """
      static int helper(int x) { return x * 3 + 1; }
      __attribute__((noinline)) static int again(int x) { return x ? helper(x) : 2; }
      extern int counter;
      __attribute__((constructor)) void first(void) { counter++; }
      __attribute__((destructor)) void last(void) { counter--; }
      __attribute__((visibility("hidden"))) int hidden(int x) { return again(x) + 1; }
      __attribute__((weak)) int weak(int x) { return x; }
      __attribute__((cold, noinline)) int cold(int x) { return x - 1; }
      int common;
      int main(int argc, char **argv) { return hidden(argc) + weak(argc) + cold(argc) + common; }
      """
    ),
    (
      "global.cpp",
      """
      extern "C" int puts(const char *);
      struct Noisy { Noisy() { puts("made"); } ~Noisy() { puts("gone"); } };
      static Noisy one;
      Noisy two;
      """
    ),
    (
      "entries.s",
      """
      .text
      .globl _outer
      .p2align 2
      _outer:
        nop
      .alt_entry _inner
      .globl _inner
      _inner:
        nop
        ret
      .globl _alias
      .set _alias, _outer
      .globl _absolute
      .set _absolute, 0x1234
      .subsections_via_symbols
      """
    ),
  ]
}

/// The output of `tool` for a file.
func judge(_ tool: String, _ arguments: [String]) throws -> String {
  try #require(Tool(tool)).run(arguments)
}
