import Foundation
import Testing

/// A requirement of some tests on the machine: a tool, a folder of some kind, a permission.
///
/// If it is missing, these tests are skipped. `make check` sets `ORDERFILE_REQUIRE_ALL=1`: then they fail, unless the
/// requirement has an `excuse`. `make quick` sets `ORDERFILE_QUICK=1`: then all tests with a requirement are skipped.
package struct Requirement: Sendable {
  package let name: String
  /// Why `make check` may pass without it; `nil` if it must fail.
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
  /// Whether the running test, or its suite, has a `.needs`. Otherwise `make quick` would run it.
  static var isNamedByTheTest: Bool {
    guard let test = Test.current else { return !isQuick }
    return test.traits.contains { ($0 as? ConditionTrait)?.isOfNeeds ?? false }
  }
  private var mustBeMet: Bool { excuse == nil && Self.isSet("ORDERFILE_REQUIRE_ALL") }

  /// Whether to keep the arguments of a test that need this requirement. They are also kept if it is missing and must
  /// be met, so that the test fails.
  package var keepsArguments: Bool { isMet() || mustBeMet }

  /// - Throws: if the requirement must be met and is not.
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
  /// A tool in `PATH`.
  package init(stringLiteral tool: String) { self = .tool(tool) }

  package static func tool(_ name: String) -> Requirement {
    Requirement(name) { toolPath(name) != nil }
  }

  /// All of `tools`, in `PATH`.
  package static func tools(_ tools: [String]) -> Requirement {
    Requirement(tools.joined(separator: ", ")) { tools.allSatisfy { toolPath($0) != nil } }
  }

  /// Processor time: the test takes about a second or more in a debug build. `make quick` leaves such a test out.
  package static let time = Requirement("time") { true }
  /// The start of processes: tools that every system has.
  package static let processes = Requirement("to start processes") { true }
  /// The tools that compile C programs, and the recorder for them.
  package static let compiling = tools(["clang", "ld.lld", "make", "objcopy", "nm"])
  /// The tools that build Mach-O images.
  package static let appleSDK = Requirement("the Darwin SDK of Scripts/apple-sdk.sh and LLVM 19") {
    (try? AppleSDK()) != nil
  }
  package static let machOEmulator = Requirement("the emulator of Scripts/apple-sdk.sh") {
    MachOEmulator.isAvailable
  }

  // Anyone may run `make check`, in a container, too. So requirements that no package can install have an excuse.

  package static let root = Requirement("root", excuse: "not everybody is root") { geteuid() == 0 }
  package static let mounting = Requirement(
    "the right to mount a file system", excuse: "containers refuse it"
  ) { canMount }
  private static let canMount =
    (try? Workshop().run("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.status == 0
  /// Some kernels lack FUSE, and containers refuse the device or the mounts.
  package static let device = Requirement(
    "/dev/fuse and the right to mount", excuse: "containers refuse it"
  ) {
    let descriptor = open("/dev/fuse", O_RDWR)
    defer { if descriptor >= 0 { close(descriptor) } }
    return descriptor >= 0 && (try? Workshop().run("unshare", ["-m", "true"]))?.status == 0
  }
  package static let loopDevice = Requirement(
    "root, loop devices and mkfs.ext4", excuse: "containers have no loop devices"
  ) {
    let descriptor = open("/dev/loop-control", O_RDWR)
    defer { if descriptor >= 0 { close(descriptor) } }
    return descriptor >= 0 && geteuid() == 0 && access("/usr/sbin/mkfs.ext4", X_OK) == 0
      && (try? Workshop().run("unshare", ["-m", "true"]))?.status == 0
  }
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
  /// Skips a test if one of `requirements` is not met. There is no other way to skip a test.
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
