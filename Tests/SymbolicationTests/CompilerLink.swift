import TestSupport
import Testing

/// A compiler and the flags of one link.
struct CompilerLink: CustomTestStringConvertible, Sendable {
  var compiler = "clang"
  var flags: [String]
  var testDescription: String { ([compiler] + flags).joined(separator: " ") }
  var keepsArguments: Bool {
    Requirement.tools([compiler] + (flags.contains("-fuse-ld=lld") ? ["ld.lld"] : []))
      .keepsArguments
  }
  var isAArch64: Bool { compiler.hasPrefix("aarch64") }
}
