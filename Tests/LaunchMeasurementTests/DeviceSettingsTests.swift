import ImageModel
import LaunchMeasurement
import Testing

@Suite struct DeviceSettingsTests {
  private static func device(
    _ name: String, _ readAhead: UInt64, _ delay: UInt64
  ) -> DeviceSettings {
    DeviceSettings(
      kind: .memory, name: name, readAheadBytes: readAhead, delayNanoseconds: delay)
  }

  @Test(arguments: [
    ("slow", device("slow", 131_072, 1_000_000)), ("emmc", device("emmc", 131_072, 91_000)),
    ("sd", device("sd", 131_072, 667_000)), ("nfs", device("nfs", 131_072, 250_000)),
    ("slow=16KiB", device("slow", 16384, 1_000_000)),
    ("nfs=1MiB", device("nfs", 1_048_576, 250_000)),
    ("slow=0,0", device("slow", 0, 0)),
    ("slow=64MiB,1s", device("slow", 67_108_864, 1_000_000_000)),
    ("slow=8k,0.5ms", device("slow", 8192, 500_000)),
    ("slow=4096B,3us", device("slow", 4096, 3000)),
    ("slow=1.5MiB,3µs", device("slow", 1_572_864, 3000)), ("sd=4KiB,7ns", device("sd", 4096, 7)),
  ])
  func valuesAreRead(text: String, device: DeviceSettings) {
    #expect(DeviceSettings(text) == device)
  }

  @Test func theDiskOfAFileHasItsOwnReadAheadAndLargestRequest() throws {
    let this = try #require(DeviceSettings("this"))
    #expect(this.isOfDisk && this.delayNanoseconds == 0)
    func read(_ readAhead: UInt64?, _ request: UInt64?) throws(Diagnostic) -> DeviceSettings {
      var storage = ImageStorage(path: "/app", bytes: 1, fileSystem: "overlay")
      storage.readAheadBytes = readAhead
      storage.largestRequestBytes = request
      return try this.reading(storage)
    }
    var expected = Self.device("this", 8 << 20, 0)
    expected.requestBytes = 126_976
    #expect(try read(8 << 20, 127 << 10) == expected)
    #expect(try read(1 << 40, nil) == Self.device("this", 64 << 20, 0))
    #expect(try read(0, 1).requestBytes == 4096)
    #expect(try read(0, .max).requestBytes == 1 << 20)
    #expect(
      throws: Diagnostic(
        "the read-ahead of this disk is unknown: its file system is overlay",
        context: ["--device this", "/app"], hint: "state the read-ahead: --device this=128KiB")
    ) { try read(nil, 4096) }
    let stated = try #require(DeviceSettings("this=16KiB,1ms"))
    #expect(!stated.isOfDisk && stated == Self.device("this", 16384, 1_000_000))
  }

  @Test(arguments: [
    "", "=", "slow=", "slow,1ms", "Slow", "slow=16", "slow=16KB", "slow=3KiB", "slow=16KiB,",
    "slow=16KiB,1", "slow=16KiB,1m", "slow=16KiB,1ms,2ms", "slow=128MiB", "slow=16KiB,2s",
    "slow=-4KiB", "slow=KiB", "slow=1e3KiB", "slow=4KiB,nanms", "slow=..KiB", "slow= 4KiB",
    "slow=99999999999KiB", "slow=4KiB,ms", "slow=٤KiB",
  ])
  func otherTextsAreRefused(text: String) { #expect(DeviceSettings(text) == nil) }
}
