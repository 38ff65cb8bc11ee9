import TestSupport
import Testing

/// A compiler and the flags of one link.
struct CompilerLink: CustomTestStringConvertible, Sendable {
  var compiler = "clang"
  var flags: [String]
  var testDescription: String { ([compiler] + flags).joined(separator: " ") }
  var isInstalled: Bool {
    Tool(compiler) != nil && (!flags.contains("-fuse-ld=lld") || Tool("ld.lld") != nil)
  }
  var isAArch64: Bool { compiler.hasPrefix("aarch64") }
}
