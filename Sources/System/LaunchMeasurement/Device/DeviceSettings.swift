import ImageModel

/// A device from which programs are launched: `--device`.
package struct DeviceSettings: Hashable, Sendable {
  package var kind: Kind
  /// The name of the preset: `slow`.
  package var name: String
  /// The number of bytes that the kernel reads ahead; 0 turns read-ahead off.
  package var readAheadBytes: UInt64
  /// The time that the device takes for each request.
  package var delayNanoseconds: UInt64
  /// The largest request, in bytes: a multiple of 4 KiB. `nil` for the largest request that FUSE permits, 1 MiB.
  package var requestBytes: UInt64?
  /// Whether the read-ahead and the largest request are still to be read from the disk of the launched program.
  package private(set) var isOfDisk = false

  /// The storage of the copies.
  package enum Kind: String, CaseIterable, Sendable {
    /// The copies are in memory of this process, which serves requests after a delay.
    case memory
    /// The copies are on a loop device, which this machine's disk serves by direct I/O. Its requests take no stated
    /// time.
    case loop
  }

  package init(
    kind: Kind, name: String, readAheadBytes: UInt64, delayNanoseconds: UInt64,
    requestBytes: UInt64? = nil
  ) {
    self.kind = kind
    self.name = name
    self.readAheadBytes = readAheadBytes
    self.delayNanoseconds = delayNanoseconds
    self.requestBytes = requestBytes
  }

  /// The largest read-ahead, in bytes.
  package static let largestReadAhead: UInt64 = 64 << 20
  /// The largest request that FUSE permits, in bytes. <linux/fuse.h, FUSE_MAX_PAGES>
  package static let largestRequest: UInt64 = 1 << 20
  /// The longest delay, in nanoseconds.
  package static let longestDelay: UInt64 = 1_000_000_000
}

// MARK: Presets

extension DeviceSettings {
  /// Devices with public figures. Linux reads 128 KiB ahead on all of them (`VM_READAHEAD_PAGES` in the kernel's
  /// include/linux/mm.h, which NFS uses since Linux 5.4).
  ///
  /// - `slow`: no real device, but round numbers with which requests take most of the time. A hard disk or a far server
  ///   needs as long for a request.
  /// - `emmc`: 11,000 random reads per second, the figure of the first eMMC 5.1 chips (Samsung, 2015). With one request
  ///   at a time, most chips are slower.
  /// - `sd`: 1,500 random reads per second, the least that a card of Application Performance Class A1 may have (SD
  ///   specification 5.1).
  /// - `nfs`: 250 µs per read, the least that Amazon states for its NFS servers (EFS, "Amazon EFS performance").
  package static let presets = [
    preset("slow", microseconds: 1000), preset("emmc", microseconds: 91),
    preset("sd", microseconds: 667), preset("nfs", microseconds: 250), this,
  ]

  /// The disk of the launched program: its read-ahead and its largest request, as Linux states them in `/sys`. Linux
  /// does not state how long the disk takes, so requests take no time unless the user states one.
  private static var this: DeviceSettings {
    var settings = preset("this", microseconds: 0)
    settings.isOfDisk = true
    return settings
  }

  private static func preset(_ name: String, microseconds: UInt64) -> DeviceSettings {
    DeviceSettings(
      kind: .memory, name: name, readAheadBytes: 128 << 10, delayNanoseconds: microseconds * 1000)
  }
}

// MARK: The disk of this machine

extension DeviceSettings {
  /// Returns these settings, with the read-ahead and the largest request of the disk that has `storage` if they are
  /// still to be read.
  ///
  /// - Throws: if the system does not state the read-ahead of this disk.
  package func reading(_ storage: @autoclosure () -> ImageStorage) throws(Diagnostic) -> Self {
    guard isOfDisk else { return self }
    let storage = storage()
    guard let readAhead = storage.readAheadBytes else {
      throw Diagnostic(
        "the read-ahead of this disk is unknown"
          + (storage.fileSystem.map { ": its file system is \($0)" } ?? ""),
        context: ["--device \(name)", storage.path],
        hint: "state the read-ahead: --device \(name)=128KiB")
    }
    var settings = self
    settings.isOfDisk = false
    settings.readAheadBytes = min(readAhead, Self.largestReadAhead) / 4096 * 4096
    settings.requestBytes = storage.largestRequestBytes.map {
      max(4096, min($0, Self.largestRequest) / 4096 * 4096)
    }
    return settings
  }
}

extension DeviceSettings {
  /// The settings of a loop device that replaces this device.
  var onLoopDevice: Self {
    var settings = self
    settings.kind = .loop
    settings.delayNanoseconds = 0
    return settings
  }

  /// The sentence that a loop device gives no times; `nil` for a device with a stated time.
  package var reasonAgainstTimes: String? {
    kind == .loop
      ? "cold: /dev/fuse can't be used, so requests are counted on a loop device, and no times are given"
      : nil
  }

  /// The sentence that a loop device has the times of the disk below it; `nil` for a device with a stated time.
  package var remarkOnTimes: String? {
    kind == .loop
      ? "cold: /dev/fuse can't be used, so requests are counted on a loop device, and times are those of the disk"
      : nil
  }
}

// MARK: Text

extension DeviceSettings {
  package static let form =
    "\(presets.map(\.name).joined(separator: ", ")), or one of them with read-ahead (at most 64MiB) "
    + "and delay (at most 1s), such as slow=128KiB,1ms"

  /// Reads `slow`, `slow=16KiB` or `slow=16KiB,0.5ms`. The preset states the numbers that the text lacks.
  ///
  /// - Returns: `nil` if the text has another form, if a number is too large, or if the read-ahead is no multiple of
  ///   4 KiB.
  package init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let preset = Self.presets.first(where: { $0.name == parts[0] }) else { return nil }
    self = preset
    guard parts.count == 2 else { return }
    let numbers = parts[1].split(separator: ",", omittingEmptySubsequences: false)
    guard numbers.count <= 2,
      let readAhead = Self.number(
        numbers[0], units: [("KiB", 1024), ("MiB", 1 << 20), ("k", 1024), ("m", 1 << 20), ("B", 1)]),
      readAhead <= Self.largestReadAhead, readAhead.isMultiple(of: 4096)
    else { return nil }
    readAheadBytes = readAhead
    isOfDisk = false
    guard numbers.count == 2 else { return }
    guard
      let delay = Self.number(
        numbers[1],
        units: [("ms", 1_000_000), ("us", 1000), ("µs", 1000), ("ns", 1), ("s", 1_000_000_000)]),
      delay <= Self.longestDelay
    else { return nil }
    delayNanoseconds = delay
  }

  /// Reads a decimal number of at most ten characters, and its unit. Zero needs no unit.
  private static func number(
    _ text: Substring, units: [(name: String, factor: UInt64)]
  ) -> UInt64? {
    let unit = units.first { text.hasSuffix($0.name) }
    let digits = text.dropLast(unit?.name.count ?? 0)
    guard (1...10).contains(digits.count),
      digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits), unit != nil || number == 0
    else { return nil }
    return UInt64(exactly: (number * Double(unit?.factor ?? 0)).rounded())
  }
}
