import Foundation
import ImageModel
import Symbolication
import TestSupport
import Testing

/// A Mach-O image of C, C++, Objective-C and assembly, made by the real compiler and linker: `image` in a
/// folder of its own, with its link map `image.map`.
struct MachOBuild {
  let workshop: Workshop
  let sdk: AppleSDK

  /// - Parameters:
  ///   - flags: the compiler's, of all but assembly.
  ///   - sources: `nil` for all of `sources`.
  init(
    _ platform: AppleSDK.Platform = .iOS, flags: [String] = [], linkerFlags: [String] = [],
    sources: [(name: String, text: String)]? = nil, named image: String = "image"
  ) throws {
    sdk = try AppleSDK()
    if sources == nil, flags.isEmpty {
      workshop = try #require(Self.compiled[platform]).copy()
    } else {
      workshop = try Workshop()
      try Self.compile(sources ?? Self.sources, for: platform, flags: flags, in: workshop)
    }
    try sdk.link(
      (sources ?? Self.sources).map { $0.name + ".o" }, to: image, for: platform,
      flags: ["-map", image + ".map"] + linkerFlags, in: workshop)
  }

  /// The object files that are compiled from `sources`.
  private static let compiled = AppleSDK.Platform.compiled { platform, workshop in
    try compile(sources, for: platform, flags: [], in: workshop)
  }

  private static func compile(
    _ sources: [(name: String, text: String)], for platform: AppleSDK.Platform, flags: [String],
    in workshop: Workshop
  ) throws {
    for (name, text) in sources {
      try workshop.write(text.utf8, name)
      let isC = !name.hasSuffix(".s") && !name.hasSuffix(".swift")
      let own = name.hasSuffix(".cpp") ? ["-fno-rtti"] : []
      try AppleSDK().compile(
        name, to: name + ".o", for: platform,
        flags: isC ? flags + own + ["-fno-exceptions"] : name.hasSuffix(".s") ? [] : flags,
        in: workshop)
    }
  }

  func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  /// Runs a tool that must succeed.
  @discardableResult
  func run(_ tool: String, _ arguments: [String]) throws -> String {
    let result = try workshop.run(tool, arguments)
    try #require(result.status == 0, "\(tool) \(arguments): \(result.output)")
    return result.output
  }

  func move(_ from: String, to: String) throws {
    let target = URL(fileURLWithPath: path(to))
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: URL(fileURLWithPath: path(from)), to: target)
  }

  func removeSymbols(from name: String) throws {
    var changed = try bytes(name)
    try MachOEditor.removeSymbols(from: &changed)
    try workshop.write(changed, name)
  }

  func read(
    _ name: String = "image", debugFile: String? = nil, slice: SliceChoice = SliceChoice()
  ) throws -> (image: Image, warnings: [Diagnostic]) {
    try Image.reading(path: path(name), debugFile: debugFile.map(path), slice: slice)
  }

  /// Local and hidden functions, a weak one, an alias, a constructor, `+load`, a second entry, a function
  /// without a name.
  static let sources: [(name: String, text: String)] = [
    (
      "main.c",
      """
      extern int entry(int), outer(void), unnamed(void);
      static __attribute__((noinline)) int local(int a) { return a * 3 + entry(a); }
      __attribute__((constructor)) void first(void) { outer(); }
      __attribute__((weak)) int weak(int a) { return a; }
      int main(int count, char **arguments) { return local(count) + weak(count) + unnamed(); }
      """
    ),
    (
      "twins.c",
      """
      static __attribute__((noinline)) int local(int a) { return a * 5 + 1; }
      int twins(int a) { return local(a); }
      """
    ),
    (
      "shapes.cpp",
      """
      struct Shape { Shape(); int sides; };
      extern "C" int twins(int);
      __attribute__((noinline)) Shape::Shape() : sides(twins(4)) {}
      static Shape one;
      namespace { __attribute__((noinline)) int hidden(int a) { return a * one.sides; } }
      template <class T> __attribute__((noinline)) T twice(T a) { return a + a; }
      __attribute__((visibility("hidden"))) int shared(int a) { return hidden(a) + twice(a); }
      extern "C" int entry(int a) { return shared(a); }
      """
    ),
    (
      "root.m",
      """
      __attribute__((objc_root_class)) @interface Root { Class isa; }
      + (void)load; - (int)add:(int)a to:(int)b;
      @end
      static int count;
      @implementation Root
      + (void)load { count++; }
      - (int)add:(int)a to:(int)b { return a + b + count; }
      @end
      """
    ),
    (
      "entries.s",
      """
      .subsections_via_symbols
      .text
      .globl _outer, _alias, _inner, _unnamed
      .p2align 4
      _outer:
        nop
        nop
      .alt_entry _inner
      _inner:
        nop
        ret
      .set _alias, _outer
      _unnamed:
        ret
        nop
      lprivate:
        nop
        ret
      """
    ),
  ]
}

/// What `llvm-nm -m` says about one symbol in a section:
/// `0000000100004838 (__TEXT,__text) non-external (was a private external) __Z6sharedi`.
struct MachOSymbolLine: Equatable {
  var address: UInt64
  /// `__TEXT,__text`.
  var section: String
  /// Whether the symbol was visible only in its object file.
  var isLocal: Bool
  var name: String

  static func all(in file: String, arguments: [String] = []) throws -> [MachOSymbolLine] {
    let text = try #require(Tool("llvm-nm-19")).run(["-m", "-n"] + arguments + [file])
    return text.split(separator: "\n").compactMap { line in
      guard let address = UInt64(line.prefix(16), radix: 16),
        let open = line.firstIndex(of: "("), let close = line.firstIndex(of: ")"),
        let scope = line.firstRange(of: "external ")
      else { return nil }
      var name = line[scope.upperBound...]
      var isLocal = line[..<scope.lowerBound].hasSuffix("non-")
      // Skips the notes in parentheses. Names of Objective-C begin with `+` or `-`.
      while let first = name.first, first == "(" || first == "[",
        let end = name.firstRange(of: first == "(" ? ") " : "] ")
      {
        if name.hasPrefix("(was a private") { isLocal = false }
        name = name[end.upperBound...]
      }
      return MachOSymbolLine(
        address: address, section: String(line[line.index(after: open)..<close]),
        isLocal: isLocal, name: String(name))
    }
  }
}

extension AppleSDK.Platform {
  /// A folder for each platform, in which `compile` makes objects.
  static func compiled(
    _ compile: (AppleSDK.Platform, Workshop) throws -> Void
  ) -> [AppleSDK.Platform: PreparedFolder<Workshop>] {
    Dictionary(
      uniqueKeysWithValues: allCases.map { platform in
        (platform, PreparedFolder<Workshop> { try compile(platform, $0) })
      })
  }
}
