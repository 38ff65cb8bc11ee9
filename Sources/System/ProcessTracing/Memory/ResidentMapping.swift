import Addresses
import LibC
import ProcessLaunch

/// A mapping of a process, with its pages that are in memory: an entry of `/proc/PID/smaps`. <proc_pid_smaps(5)>
package struct ResidentMapping: Hashable, Sendable {
  package var addresses: Range<LoadedAddress>
  package var isWritable: Bool
  package var isExecutable: Bool
  /// The absolute path of the file, or the kernel's name for memory without a file, such as `[heap]`; empty if the
  /// memory has no name.
  package var name: String
  /// The resident bytes (RSS).
  package var bytes: UInt64
  /// The resident bytes, each page divided by the number of its users (PSS). The kernel rounds down to KiB.
  package var sharedOutBytes: UInt64
  /// The resident bytes that are no pages of the file: private copies of pages that were written, and memory without a
  /// file.
  package var copiedBytes: UInt64

  package init(
    addresses: Range<LoadedAddress>, isWritable: Bool = false, isExecutable: Bool = false,
    name: String = "", bytes: UInt64 = 0, sharedOutBytes: UInt64 = 0, copiedBytes: UInt64 = 0
  ) {
    self.addresses = addresses
    self.isWritable = isWritable
    self.isExecutable = isExecutable
    self.name = name
    self.bytes = bytes
    self.sharedOutBytes = sharedOutBytes
    self.copiedBytes = copiedBytes
  }

  /// Reads the contents of a file `smaps`. Unknown and malformed lines are skipped.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package static func mappings(in text: [UInt8]) -> [ResidentMapping] {
    var mappings: [ResidentMapping] = []
    // Addresses of the kernel, such as those of [vsyscall], are no addresses of the process.
    var isOfProcess = false
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard let first = fields.first else { continue }
      if first.last == UInt8(ascii: ":") {
        guard isOfProcess, fields.count > 1 else { continue }
        mappings[mappings.count - 1].note(first.dropLast(), fields[1])
      } else if fields.count >= 5 {
        let range = ProcessMapping.addresses(first)
        isOfProcess = range != nil
        guard let addresses = range else { continue }
        let name = fields.count > 5 ? fields[5].drop { $0 == UInt8(ascii: " ") } : []
        mappings.append(
          ResidentMapping(
            addresses: addresses, isWritable: fields[1].dropFirst().first == UInt8(ascii: "w"),
            isExecutable: fields[1].dropFirst(2).first == UInt8(ascii: "x"),
            name: String(decoding: name, as: UTF8.self)))
      }
    }
    return mappings
  }

  private mutating func note(_ field: ArraySlice<UInt8>, _ number: ArraySlice<UInt8>) {
    guard let kibibytes = UInt64(String(decoding: number, as: UTF8.self)), kibibytes < 1 << 50
    else { return }
    let amount = kibibytes << 10
    switch String(decoding: field, as: UTF8.self) {
    case "Rss": bytes = amount
    case "Pss": sharedOutBytes = amount
    case "Anonymous": copiedBytes = amount
    default: break
    }
  }
}

/// The memory of a process at a moment.
package struct ProcessResidency: Hashable, Sendable {
  package var processNumber: pid_t
  /// The most bytes that were resident since the process executed its program (`VmHWM`); `nil` if the kernel does not
  /// state them.
  package var peakBytes: UInt64?
  /// The mappings by address; empty if they can't be read.
  package var mappings: [ResidentMapping]

  package init(processNumber: pid_t, peakBytes: UInt64?, mappings: [ResidentMapping]) {
    self.processNumber = processNumber
    self.peakBytes = peakBytes
    self.mappings = mappings
  }

  package var bytes: UInt64 { mappings.reduce(0) { $0 &+ $1.bytes } }
  package var sharedOutBytes: UInt64 { mappings.reduce(0) { $0 &+ $1.sharedOutBytes } }

  /// The facts in the files of `/proc` from which a `ProcessResidency` is made.
  struct Source {
    var processNumber: pid_t
    var peakBytes: UInt64?
    var smaps: [UInt8]

    /// Reads the memory of the process that has the thread `tid`. The mappings are empty if they can't be read.
    init(of tid: pid_t) {
      let status = ProcessStatus(of: tid)
      processNumber = status?["Tgid"].flatMap { pid_t($0) } ?? tid
      peakBytes = status?["VmHWM"].flatMap { UInt64($0) }.map { $0 &<< 10 }
      smaps = SystemFile.text(of: "/proc/\(tid)/smaps")
    }
  }

  init(_ source: Source) {
    self.init(
      processNumber: source.processNumber, peakBytes: source.peakBytes,
      mappings: ResidentMapping.mappings(in: source.smaps))
  }
}
