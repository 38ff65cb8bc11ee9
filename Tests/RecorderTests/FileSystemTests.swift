import Foundation
import TestSupport
import Testing
import TraceFormat

/// Writes traces to file systems that differ in their guarantees.
@Suite(.needs(.compiling, .mounting)) struct FileSystemTests {
  /// btrfs writes each changed page to another place.
  @Test(.needs("mkfs.btrfs", .btrfs)) func aDiskThatIsFullWhenAPageIsWrittenAgainCostsNothing()
    throws
  {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["paths/full_disk.c"])
    let disk = try workshop.makeFolder("disk")
    let image = workshop.path("image")
    let script = """
      truncate -s 18M \(image) && mkfs.btrfs -q --mixed \(image) && mount -o loop \(image) \(disk) && \
      ORDERFILE_TRACE=\(disk)/trace \(program) \(disk)/trace \(disk)/fill && \
      cp \(disk)/trace \(workshop.path("trace"))
      """
    let ended = try workshop.run("unshare", ["-m", "sh", "-c", script])
    #expect(ended.status == 0, "\(ended.errors)")
    var names = FunctionNames(workshop)
    #expect(try names.names(workshop.trace()) == ["main", "first", "second", "third"])
  }

  /// On tmpfs a mapping keeps the file's lock, on overlayfs it does not. There, a name that a process of another
  /// container has used stays taken.
  @Test(.needs(.namespaces), arguments: ["tmpfs", "overlay"])
  func processesOfTwoContainersKeepTheirTracesApart(kind: String) throws {
    let workshop = try Workshop()
    let program = try workshop.build("program", from: ["paths/waiter.c"])
    let (disk, base) = (try workshop.makeFolder("disk"), try workshop.makeFolder("base"))
    let options = "lowerdir=lower,upperdir=upper,workdir=work"
    let apart = "unshare --pid --fork --mount-proc \(program)"
    let script = """
      set -e
      mount -t tmpfs none \(base); cd \(base); mkdir lower upper work
      if [ \(kind) = tmpfs ]; then mount -t tmpfs none \(disk)
      else mount -t overlay -o \(options) none \(disk); fi
      export ORDERFILE_TRACE=\(disk)/trace
      mkfifo life
      \(apart) <life >said & exec 3>life
      until [ -s said ]; do sleep 0.01; done
      \(apart) </dev/null >said2
      cp \(disk)/trace \(workshop.path("trace")); cp \(disk)/trace.1 \(workshop.path("trace.1"))
      exec 3>&-; wait
      cp \(disk)/trace \(workshop.path("trace.whole"))
      """
    let ended = try workshop.run("unshare", ["-m", "sh", "-c", script])
    #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
    var names = FunctionNames(workshop)
    #expect(try names.names(workshop.trace()) == ["main", "early"])
    #expect(try names.names(workshop.trace("trace.1")) == ["main", "early", "late"])
    #expect(try names.names(workshop.trace("trace.whole")) == ["main", "early", "late"])
    let flags = try workshop.trace("trace.whole").header.flags
    if kind == "tmpfs" { #expect(flags.contains(.locked)) }
  }
}
