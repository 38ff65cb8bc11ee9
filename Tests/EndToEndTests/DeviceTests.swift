import Foundation
import TestSupport
import Testing

/// `--device`: launches from a device of their own, whose requests are counted.
@Suite(.needs("clang", "ld.lld"), .needs(.device), .needs(.root))
struct DeviceTests {
  /// The program touches as many constants as its argument says, each 1 MiB after the constant before. Other arguments
  /// make it say where it is, or take its device away when it is launched for the second time.
  private static let program = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mount.h>
    #include <sys/stat.h>
    #include <sys/sysmacros.h>
    #include <unistd.h>
    #define PAGE(n) const char page##n[4096] __attribute__((aligned(1048576))) = {n + 1};
    PAGE(0) PAGE(1) PAGE(2) PAGE(3) PAGE(4) PAGE(5) PAGE(6) PAGE(7)
    const char *const pages[] = {page0, page1, page2, page3, page4, page5, page6, page7};
    int one(void);
    int main(int n, char **words) {
      if (n > 1 && !strcmp(words[1], "where")) {
        char path[4096] = "";
        if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 || !dlopen("libtwo.so", RTLD_NOW)) return 9;
        struct stat own, other;
        if (stat(path, &own) || stat("libone.so", &other)) return 8;
        printf("%s is %s, %o, %d\\n", words[0], path, own.st_mode, own.st_dev == other.st_dev);
        return one() - 1;
      }
      if (n > 1 && !strcmp(words[1], "abort")) {
        struct stat own;
        char path[64];
        if (mkdir("connections", 0700) == 0) return 0;
        if (stat(words[0], &own) || mount("none", "connections", "fusectl", 0, 0)) return 7;
        sprintf(path, "connections/%u/abort", minor(own.st_dev));
        int file = open(path, O_WRONLY);
        _exit(file < 0 || write(file, "1", 1) != 1 ? 6 : 0);
      }
      if (n > 1 && !strcmp(words[1], "unmount"))
        return mkdir("first", 0700) != 0 && umount2(words[0], MNT_DETACH) != 0 ? 6 : 0;
      if (n > 1 && !strcmp(words[1], "wait")) {
        close(open("started", O_CREAT | O_WRONLY, 0600));
        pause();
      }
      int sum = 0;
      for (int i = 0; n > 1 && i < atoi(words[1]); i++) sum += *(const volatile char *)pages[i];
      return sum == 0 && n > 1 && atoi(words[1]);
    }
    """

  /// The program has a blank in its name, and two libraries beside itself.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop(in: DiskFolder.path)
    try workshop.write(program.utf8, "app.c")
    try workshop.write("int one(void) { return 1; }\n".utf8, "one.c")
    for name in ["one", "two"] {
      try workshop.must(
        "clang", ["-O1", "-shared", "-fPIC", "-fuse-ld=lld", "one.c", "-o", "lib\(name).so"])
    }
    try workshop.must(
      "clang",
      [
        "-O1", "-no-pie", "-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", "my app", "-L.", "-lone",
        "-Wl,-rpath,$ORIGIN",
      ])
    return workshop
  }

  private static func measure(
    _ workshop: Workshop, _ device: String, _ words: String...
  ) throws -> [String: Any] {
    let run = try workshop.must(
      Built.orderfile,
      [
        "measure", "--cold", "--control", "--runs", "2", "--device", device, "--json", "--before",
        "my app", "--after", "my app", "--",
      ] + words)
    return run.json
  }

  static func launches(_ document: [String: Any]) throws -> [[String: Any]] {
    let states = try #require(document["states"] as? [[String: Any]])
    let sides = states.flatMap { $0["sides"] as? [[String: Any]] ?? [] }
    return sides.flatMap { $0["launches"] as? [[String: Any]] ?? [] }
  }

  @Test func eachPageFarFromOthersIsOneRequestThatTakesTheDelay() throws {
    let workshop = try Self.workshop()
    func figures(_ pages: Int) throws -> (requests: Int, bytes: Int, nanoseconds: Int) {
      let document = try Self.measure(workshop, "slow=16KiB,2ms", "\(pages)")
      let device = try #require(document["device"] as? [String: Any])
      #expect(device["kind"] as? String == "memory" && device["name"] as? String == "slow")
      #expect(device["readAheadBytes"] as? Int == 16384)
      #expect(device["delayNanoseconds"] as? Int == 2_000_000)
      let image = try #require((document["images"] as? [[String: Any]])?.first)
      #expect(image["fileSystem"] as? String == "fuse.orderfile")
      #expect(image["readAheadBytes"] as? Int == 16384)
      let launches = try Self.launches(document)
      let requests = Set(launches.compactMap { $0["requests"] as? Int })
      let bytes = Set(launches.compactMap { $0["readBytes"] as? Int })
      #expect(launches.count == 6 && requests.count == 1 && bytes.count == 1, "\(launches)")
      return (
        try #require(requests.first), try #require(bytes.first),
        try #require(launches.compactMap { $0["wallNanoseconds"] as? Int }.min())
      )
    }
    let (few, many) = (try figures(2), try figures(7))
    #expect(many.requests == few.requests + 5)
    #expect(many.bytes > few.bytes && many.bytes <= few.bytes + 5 * 16384)
    // The program waits for each of these pages.
    #expect(many.nanoseconds >= 7 * 2_000_000)
  }

  /// The kernel reads a large read-ahead in requests of at most this size.
  @Test func theDiskOfTheProgramLimitsRequests() throws {
    let workshop = try Self.workshop()
    let document = try Self.measure(workshop, "this", "1")
    let device = try #require(document["device"] as? [String: Any])
    let readAhead = try #require(device["readAheadBytes"] as? Int)
    var status = stat()
    try #require(stat(workshop.path("my app"), &status) == 0)
    let disk = "/sys/dev/block/\(status.st_dev >> 8 & 0xfff):\(status.st_dev & 0xff)"
    let queues = ["\(disk)/queue", "\(disk)/../queue"]
    let settings = queues.compactMap { queue in
      try? String(contentsOfFile: "\(queue)/read_ahead_kb", encoding: .utf8)
    }
    let stated = try #require(settings.first.flatMap { Int($0.filter(\.isNumber)) })
    #expect(readAhead == min(stated << 10, 64 << 20) && device["delayNanoseconds"] as? Int == 0)
    for launch in try Self.launches(document) {
      let requests = try #require(launch["requests"] as? Int)
      let bytes = try #require(launch["readBytes"] as? Int)
      #expect(bytes <= requests * (device["requestBytes"] as? Int ?? 1 << 20))
    }
  }

  @Test func faultsAndStagesCountRequests() throws {
    let workshop = try Self.workshop()
    let faults = try workshop.mustOrderfile(
      "faults", "--cold", "--device", "slow=16KiB,0ms", "--json", "--", "./my app", "4")
    #expect((faults.json["device"] as? [String: Any])?["delayNanoseconds"] as? Int == 0)
    #expect(faults.json["requests"] as? Int ?? 0 > 4)
    #expect(faults.json["readBytes"] as? Int ?? 0 > 4 * 4096)
    #expect((faults.json["limits"] as? [String])?.isEmpty == true)
    let text = try workshop.mustOrderfile(
      "faults", "--cold", "--device", "sd", "--", "./my app", "4")
    #expect(
      text.text.contains(
        "device: sd, a copy in memory, read-ahead 128 KiB, 0.667 ms for each request; the launch made "
      ), "\(text.text)")
    let stages = try workshop.mustOrderfile(
      "stages", "--cold", "--runs", "2", "--device", "slow=16KiB,0ms", "--json", "--", "./my app",
      "4")
    #expect((stages.json["device"] as? [String: Any])?["name"] as? String == "slow")
    #expect(stages.json["requests"] as? Double ?? 0 > 4)
    #expect(stages.json["readBytes"] as? Double ?? 0 > 4 * 4096)
  }

  @Test func aDiskThatReadsTheWholeFileAheadIsNamed() throws {
    let workshop = try Self.workshop()
    let device = ["--device", "slow=16MiB,0ms"]
    let sentence =
      "/my app: this disk reads 16 MiB ahead, the whole file: a cold launch can't show page order"
    let faults = try workshop.mustOrderfile(
      ["faults", "--cold"] + device + ["--", "./my app", "1"])
    #expect(
      faults.text.contains("note: cold: ") && faults.text.contains(sentence), "\(faults.text)")
    let stages = try workshop.mustOrderfile(
      ["stages", "--cold", "--runs", "2"] + device + ["--", "./my app", "1"])
    #expect(stages.errors.contains(sentence), "\(stages.errors)")
    #expect(
      stages.errors.contains(
        "hint: --device slow launches a copy from a device that reads 128 KiB ahead"))
    let document = try Self.measure(workshop, "slow=16MiB,0ms", "1")
    let limits = try #require(document["limits"] as? [String])
    #expect(limits.contains { $0.contains(sentence) }, "\(limits)")
  }

  @Test func theProgramFindsTheSamePathsAndNothingStays() throws {
    let workshop = try Self.workshop()
    let before = workshop.fileNames
    let path = workshop.path("my app")
    let run = try workshop.must(
      Built.orderfile,
      [
        "faults", "--cold", "--show-output", "--device", "slow", "--also", "libone.so", "--",
        "./my app", "where",
      ])
    // Only the program and the library are on the device, each in a file system of its own.
    #expect(run.errors.contains("./my app is \(path), 100755, 0\n"), "\(run.errors)")
    #expect(workshop.fileNames == before)
    let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    #expect(!mounts.contains("fuse.orderfile"))
    try workshop.must("my app", ["where"])
  }

  @Test func aScriptRunsFromTheDeviceWithItsInterpreter() throws {
    let workshop = try Self.workshop()
    try workshop.writeProgram("#!/bin/sh\nexec ./'my app' 1\n".utf8, "script")
    let run = try workshop.mustOrderfile(
      "faults", "--cold", "--device", "slow=128KiB,0ms", "--json", "--", "./script")
    #expect(run.json["requests"] as? Int ?? 0 > 1)
  }

  @Test func aDeviceThatDisappearsIsTheError() throws {
    let workshop = try Self.workshop()
    let run = try workshop.orderfile(
      "faults", "--cold", "--device", "slow=16KiB,0ms", "--", "./my app", "abort")
    #expect(run.status == 1 && run.output.isEmpty)
    #expect(
      run.errors.contains("--device slow: the device disappeared during a launch: No such device"),
      "\(run.errors)")
    try workshop.must("my app", ["1"])
  }

  @Test(arguments: [SIGINT, SIGKILL])
  func signalsLeaveNothingBehind(signal: Int32) throws {
    let workshop = try Self.workshop()
    let before = workshop.fileNames
    let running = try workshop.start(
      Built.orderfile,
      ["faults", "--cold", "--device", "slow=16KiB,0ms", "--", "./my app", "wait"])
    try running.wait(for: "a launch") { workshop.fileNames.contains("started") }
    running.send(signal)
    let run = running.endAlone()
    #expect(run.status == (signal == SIGKILL ? 128 + SIGKILL : 1), "\(run.errors)")
    #expect(running.leavesNothing())
    #expect(workshop.fileNames == (before + ["started"]).sorted())
    try workshop.must("my app", ["1"])
  }

  @Test func filesThatCantBeCopiedAreNamed() throws {
    let workshop = try Self.workshop()
    try workshop.must("truncate", ["-s", "1T", "huge"])
    try workshop.must("cp", ["my app", "rights"])
    try workshop.must("chown", ["65534", "rights"])
    try workshop.must("chmod", ["4755", "rights"])
    for (file, message) in [
      ("huge", "huge: unable to copy the file: Cannot allocate memory"),
      (".", ": unable to copy the file: Invalid argument"),
      ("nowhere", "No such file or directory"),
      ("rights", "rights: a program that gains rights from its file can't be launched"),
    ] {
      let run = try workshop.orderfile(
        "measure", "--cold", "--device", "slow", "--before", "my app", "--after", "my app",
        "--also", file)
      #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
    }
  }

  /// The program on the device has the path of the link's target.
  @Test(.needs(.recording)) func aCheckNamesTheImageInAllDocumentsAsTheUserDoes() throws {
    let workshop = try Self.workshop()
    try workshop.must("ln", ["-s", "my app", "link"])
    let run = try workshop.orderfile(
      "check", "--launch", "./link 1", "--device", "slow=16KiB,0ms", "--limit",
      "faults.requests<=1000")
    #expect(run.status == 0, "\(run.errors)")
    func paths(_ name: String, _ key: String) throws -> [String] {
      let document = try parsedJSON(workshop.bytes("orderfile-check/\(name).json"))
      return (document[key] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
    }
    #expect(try paths("pages", "images").first == "./link")
    #expect(try paths("faults", "files").first == "./link")
  }

  /// The launch is without any device, as in a container.
  @Test func withoutTheKernelsFileSystemTheErrorSaysWhatToDo() throws {
    let workshop = try Self.workshop()
    let run = try workshop.start(
      "unshare",
      [
        "-m", "sh", "-c",
        "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && exec \"$@\"", "sh",
        Built.orderfile, "faults", "--cold", "--device", "slow", "--", "./my app",
      ]
    ).end()
    #expect(
      run.status == 1
        && run.errors.contains(
          "--device slow: unable to make a device of either kind: a file system of this process: "
            + "unable to open /dev/fuse: No such file or directory; "
            + "a loop device: unable to open /dev/loop-control: No such file or directory"
        ) && run.errors.contains("hint: the kernel needs its module fuse: modprobe fuse"),
      "\(run.errors)")
  }
}

/// Values of `--device`, which need no device.
@Suite(.needs(.processes)) struct DeviceOptionTests {
  @Test func badValuesAndWarmLaunchesAreUsageErrors() throws {
    let workshop = try Workshop()
    for (words, message) in [
      (
        ["faults", "--cold", "--device", "floppy"], "slow, emmc, sd, nfs, this, or one of them with"
      ),
      (["faults", "--device", "slow"], "--device affects cold launches only: give --cold"),
      (["stages", "--device", "slow"], "--device affects cold launches only: give --cold"),
      (
        ["measure", "--warm", "--device", "slow", "--before", "a", "--after", "b"],
        "--device affects cold launches only: it can't be used with --warm"
      ),
    ] {
      let run = try workshop.orderfile(words + ["--", "/bin/true"])
      #expect(run.status == 64 && run.errors.contains(message), "\(run.errors)")
    }
  }
}
