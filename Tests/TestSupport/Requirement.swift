import Foundation
import Testing

/// What some tests need of the machine: a tool, a folder of a kind, a permission.
///
/// Without it they are skipped, unless all tests must run: `make check` sets `ORDERFILE_REQUIRE_ALL=1`, and
/// then they fail, but for requirements that have an `excuse`. `make quick` sets `ORDERFILE_QUICK=1`, and all
/// that need anything are skipped.
package struct Requirement: Sendable {
  package let name: String
  /// Why `make check` may pass without it; `nil` if it may not.
  package let excuse: String?
  private let isMet: @Sendable () -> Bool

  package init(
    _ name: String, excuse: String? = nil, isMet: @escaping @Sendable () -> Bool
  ) {
    self.name = name
    self.excuse = excuse
    self.isMet = isMet
  }

  private static func isSet(_ variable: String) -> Bool {
    ProcessInfo.processInfo.environment[variable] == "1"
  }
  private static let isQuick = isSet("ORDERFILE_QUICK")
  /// Whether the test that runs has a `.needs`, its own or its suite's: else `make quick` would run it.
  static var isNamedByTheTest: Bool {
    guard let test = Test.current else { return !isQuick }
    return test.traits.contains { ($0 as? ConditionTrait)?.isOfNeeds ?? false }
  }
  private var mustBeMet: Bool { excuse == nil && Self.isSet("ORDERFILE_REQUIRE_ALL") }

  /// Whether arguments of a test that need it are kept: also if it is missing and must not be, so that the
  /// test fails.
  package var keepsArguments: Bool { isMet() || mustBeMet }

  /// - Throws: if it is not met where it must be.
  fileprivate func check() throws -> Bool {
    if Self.isQuick { return false }
    if isMet() { return true }
    guard mustBeMet else { return false }
    throw Tool.Failure(
      description:
        "missing \(name): all tests must run; Scripts/bootstrap.sh test integrations installs tools"
    )
  }
}

extension Requirement: ExpressibleByStringLiteral {
  /// A program in `PATH`.
  package init(stringLiteral tool: String) { self = .tool(tool) }

  package static func tool(_ name: String) -> Requirement {
    Requirement(name) { toolPath(name) != nil }
  }

  /// All of `tools`.
  package static func tools(_ tools: [String]) -> Requirement {
    Requirement(tools.joined(separator: ", ")) { tools.allSatisfy { toolPath($0) != nil } }
  }

  /// Processor time: the test takes about a second or more in a debug build. `make quick` leaves such a test out.
  package static let time = Requirement("time") { true }
  /// Processes of any kind: tools of every system.
  package static let processes = Requirement("to start processes") { true }
  /// Programs of C, and the recorder in them.
  package static let compiling = tools(["clang", "ld.lld", "make", "objcopy", "nm"])
  /// What Mach-O images are built with.
  package static let appleSDK = Requirement("the Darwin SDK of Scripts/apple-sdk.sh and LLVM 19") {
    (try? AppleSDK()) != nil
  }
  package static let machOEmulator = Requirement("the emulator of Scripts/apple-sdk.sh") {
    MachOEmulator.isAvailable
  }

  // Anyone may run `make check`, in a container too: what no package can install is excused.

  package static let root = Requirement("root", excuse: "not everybody is root") { geteuid() == 0 }
  package static let mounting = Requirement(
    "the right to mount a file system", excuse: "containers refuse it"
  ) { canMount }
  private static let canMount =
    (try? Workshop().run("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.status == 0
  package static let btrfs = Requirement(
    "the right to mount btrfs", excuse: "containers refuse it, and some kernels lack it"
  ) { canMountBtrfs }
  private static let canMountBtrfs =
    (try? Workshop().run(
      "unshare",
      [
        "-m", "sh", "-c",
        "truncate -s 18M image && mkfs.btrfs -q --mixed image && mount -o loop image /mnt",
      ]))?.status == 0
  package static let namespaces = Requirement(
    "the right to make process namespaces", excuse: "containers refuse it"
  ) { canMakeNamespaces }
  private static let canMakeNamespaces =
    (try? Workshop().run("unshare", ["--pid", "--fork", "--mount-proc", "true"]))?.status == 0
  package static let disk = Requirement(
    "a folder on a disk, whose files can be evicted", excuse: "all folders may be memory"
  ) { DiskFolder.path != nil }
  package static let x8664Machine = Requirement(
    "an x86-64 machine", excuse: "it is about x86-64 code"
  ) {
    #if arch(x86_64)
      return true
    #else
      return false
    #endif
  }
  package static let pagesOf4KiB = Requirement(
    "pages of 4 KiB", excuse: "some AArch64 kernels have others"
  ) { sysconf(Int32(_SC_PAGESIZE)) == 4096 }
  package static let sharedMemory = Requirement(
    "a writable /dev/shm", excuse: "other systems than Linux have none"
  ) { FileManager.default.isWritableFile(atPath: "/dev/shm") }
}

extension Trait where Self == ConditionTrait {
  /// The one way to skip a test: where one of `requirements` is not met.
  package static func needs(_ requirements: Requirement...) -> Self {
    let names = requirements.map { requirement in
      requirement.name + (requirement.excuse.map { ", excused: \($0)" } ?? "")
    }
    return .enabled("\(needsPrefix)\(names.joined(separator: "; "))") {
      try requirements.allSatisfy { try $0.check() }
    }
  }
}

private let needsPrefix = "needs "

extension ConditionTrait {
  fileprivate var isOfNeeds: Bool { comments.contains { $0.rawValue.hasPrefix(needsPrefix) } }
}
