import Foundation
import TestSupport
import Testing

/// `--device` on a machine where `/dev/fuse` can't be used: requests are counted on a loop device.
@Suite(.needs("clang", "ld.lld"), .needs(.loopDevice))
struct LoopDeviceTests {
  /// Starts the command where `/dev/fuse` is another device.
  private static func start(
    _ workshop: Workshop, _ words: [String], hiding devices: [String] = ["/dev/fuse"]
  ) throws -> RunningProcess {
    let hide = devices.map { "mount --bind /dev/null \($0) && " }.joined()
    return try workshop.start(
      "unshare", ["-m", "sh", "-c", hide + "exec \"$@\"", "sh", Built.orderfile] + words)
  }

  @Test func requestsAreCountedAndNoTimesGiven() throws {
    let workshop = try DeviceTests.workshop()
    func measure(_ pages: Int, _ options: [String]) throws -> Run {
      try Self.start(
        workshop,
        ["measure", "--cold", "--runs", "2", "--device", "slow=16KiB,2ms"] + options
          + ["--before", "my app", "--after", "my app", "--", "\(pages)"]
      ).end()
    }
    func figures(_ pages: Int) throws -> (requests: Int, bytes: Int) {
      let run = try measure(pages, ["--json"])
      try #require(run.status == 0, "\(run.errors)")
      let device = try #require(run.json["device"] as? [String: Any])
      #expect(device["kind"] as? String == "loop" && device["delayNanoseconds"] as? Int == 0)
      let launches = try DeviceTests.launches(run.json)
      let requests = Set(launches.compactMap { $0["requests"] as? Int })
      let bytes = Set(launches.compactMap { $0["readBytes"] as? Int })
      #expect(launches.count == 4 && requests.count == 1 && bytes.count == 1, "\(launches)")
      return (try #require(requests.first), try #require(bytes.first))
    }
    let before = workshop.fileNames
    let (few, many) = (try figures(2), try figures(7))
    // A page may be in two extents of the file, which the file system places.
    #expect(many.requests - few.requests >= 5 && many.requests - few.requests <= 10)
    #expect(many.bytes > few.bytes && many.bytes <= few.bytes + 10 * 16384)
    let text = try measure(2, []).text
    #expect(
      text.contains("  requests to the device, median\n") && !text.contains("wall,"), "\(text)")
    #expect(
      text.contains(
        "note: cold: /dev/fuse can't be used, so requests are counted on a loop device, and no times are given"
      ), "\(text)")
    #expect(workshop.fileNames == before)
    try workshop.must("my app", ["1"])
  }

  @Test func stagesNeedTimes() throws {
    let workshop = try DeviceTests.workshop()
    let run = try Self.start(
      workshop, ["stages", "--cold", "--device", "slow", "--", "./my app"]
    ).end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "a loop device would count requests, but has no stated time for them"),
      "\(run.errors)")
  }

  @Test func allDevicesThatWereTriedAreNamed() throws {
    let workshop = try DeviceTests.workshop()
    let run = try Self.start(
      workshop, ["faults", "--cold", "--device", "slow", "--", "./my app"],
      hiding: ["/dev/fuse", "/dev/loop-control"]
    ).end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "--device slow: unable to make a device of either kind: a file system of this process: unable to mount a copy of the file: "
        ) && run.errors.contains("a loop device: unable to get a free loop device: "),
      "\(run.errors)")
    try workshop.must("my app", ["1"])
  }

  @Test func aDeviceThatDisappearsIsTheError() throws {
    let workshop = try DeviceTests.workshop()
    let run = try Self.start(
      workshop, ["faults", "--cold", "--device", "slow", "--", "./my app", "unmount"]
    ).end()
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errors.contains("--device slow: the device disappeared during a launch: No such device"),
      "\(run.errors)")
    try workshop.must("my app", ["1"])
  }

  @Test func aKilledCommandLeavesNothing() throws {
    let workshop = try DeviceTests.workshop()
    let before = workshop.fileNames
    let running = try Self.start(
      workshop, ["faults", "--cold", "--device", "slow", "--", "./my app", "wait"])
    try running.wait(for: "a launch") { workshop.fileNames.contains("started") }
    running.send(SIGKILL)
    _ = running.endAlone()
    #expect(running.leavesNothing())
    #expect(workshop.fileNames == (before + ["started"]).sorted())
    #expect(
      holdsInTheEnd {
        (try? workshop.run("losetup", ["-l"]))?.output.contains(workshop.folder.lastPathComponent)
          == false
      })
  }
}
