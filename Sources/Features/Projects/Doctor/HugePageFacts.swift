// Huge pages for code
//
// Linux can map code by huge pages of the processor if four things come together: the kernel has transparent huge
// pages and its setting permits them; the kernel can make huge pages of the file system's cached pages; a part of the
// code segment has the same place in the file and in memory, modulo a huge page; and the segment covers a whole huge
// page there. On tmpfs, `shmem_enabled` and the mount option `huge=` decide. For other file systems, khugepaged joins
// the pages of executable mappings if the kernel was built with CONFIG_READ_ONLY_THP_FOR_FS. No file of /sys states
// this option, so it is read from /boot/config-RELEASE.
//
// <Documentation/admin-guide/mm/transhuge.rst>, <mm/Kconfig>, Linux 6.18.

import ByteReading
import ObjectFormat
import ProcessLaunch
import Rendering

/// What decides whether Linux can map code by huge pages.
package struct HugePageFacts: Hashable, Sendable {
  /// The size of a huge page; `nil` if the kernel has no transparent huge pages.
  package var bytes: UInt64?
  /// The chosen word in /sys/kernel/mm/transparent_hugepage/enabled; `nil` if there is no such file.
  package var setting: String?
  /// The chosen word in /sys/kernel/mm/transparent_hugepage/shmem_enabled; `nil` if there is no such file.
  package var sharedMemorySetting: String?
  /// Whether the kernel was built with CONFIG_READ_ONLY_THP_FOR_FS; `nil` if unknown.
  package var joinsFilePages: Bool?
  /// The file system of the project, the image, or the current folder; `nil` if unknown.
  package var fileSystem: String?
  /// The code segment of the image; `nil` without an ELF image.
  package var code: Code?

  package struct Code: Hashable, Sendable {
    /// The alignment that the segment states, in bytes.
    package var alignment: UInt64
    /// The number of whole huge pages that can be mapped from the file.
    package var wholePages: UInt64

    package init(alignment: UInt64, wholePages: UInt64) {
      self.alignment = alignment
      self.wholePages = wholePages
    }
  }

  package init(
    bytes: UInt64?, setting: String? = nil, sharedMemorySetting: String? = nil,
    joinsFilePages: Bool? = nil, fileSystem: String? = nil, code: Code? = nil
  ) {
    self.bytes = bytes
    self.setting = setting
    self.sharedMemorySetting = sharedMemorySetting
    self.joinsFilePages = joinsFilePages
    self.fileSystem = fileSystem
    self.code = code
  }

  /// - Parameters:
  ///   - kernel: the name and release of the kernel: `Linux 6.12.1 x86_64`.
  ///   - image: the bytes of an image; `nil` without one.
  init(kernel: String, fileSystem: String?, image: FileBytes?) {
    let folder = "/sys/kernel/mm/transparent_hugepage"
    bytes = SystemFile.number("\(folder)/hpage_pmd_size").map { UInt64(max(0, $0)) }
    setting = Self.chosen(SystemFile.text(of: "\(folder)/enabled"))
    sharedMemorySetting = Self.chosen(SystemFile.text(of: "\(folder)/shmem_enabled"))
    let release = kernel.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    joinsFilePages = Self.joinsFilePages(SystemFile.text(of: "/boot/config-\(release)"))
    self.fileSystem = fileSystem
    if let bytes, let image { code = Code(of: image, pageBytes: bytes) }
  }

  /// Returns the word in brackets: `madvise` of `always [madvise] never`.
  package static func chosen(_ text: [UInt8]) -> String? {
    guard let open = text.firstIndex(of: UInt8(ascii: "[")) else { return nil }
    let word = text[(open + 1)...].prefix { $0 != UInt8(ascii: "]") }
    return String(decoding: word, as: UTF8.self)
  }

  /// - Parameter config: the options with which a kernel was built; empty if they are unknown.
  package static func joinsFilePages(_ config: [UInt8]) -> Bool? {
    guard !config.isEmpty else { return nil }
    return config.split(separator: UInt8(ascii: "\n")).contains {
      $0.elementsEqual("CONFIG_READ_ONLY_THP_FOR_FS=y".utf8)
    }
  }

  package var finding: Finding {
    Finding(.machine, "huge pages of code", .ok, wording)
  }

  private var wording: String {
    guard let bytes else { return "none: the kernel has no transparent huge pages" }
    var parts = ["\(bytes >> 10) KiB", "transparent huge pages \(setting ?? "unknown")"]
    switch fileSystem {
    case "tmpfs": parts.append("tmpfs with shmem_enabled \(sharedMemorySetting ?? "unknown")")
    case let system:
      let option =
        switch joinsFilePages {
        case true?: "with"
        case false?: "without"
        case nil: "unknown whether with"
        }
      parts.append("\(system ?? "unknown file system") \(option) CONFIG_READ_ONLY_THP_FOR_FS")
    }
    if let code {
      parts.append(
        "code aligned to \(code.alignment >> 10) KiB: \(counted(Int(clamping: code.wholePages), "whole huge page"))"
      )
    }
    return parts.joined(separator: ", ")
  }
}

extension HugePageFacts.Code {
  /// Finds the largest executable segment.
  ///
  /// - Parameter pageBytes: the size of a huge page, above 0.
  /// - Returns: `nil` for other images than ELF images, and without such a segment.
  package init?(of image: FileBytes, pageBytes: UInt64) {
    guard pageBytes > 0, let file = try? ELFFile(parsing: image) else { return nil }
    let code = file.segments.filter { $0.type == .load && $0.isExecutable }
      .max { $0.fileSize < $1.fileSize }
    guard let code else { return nil }
    alignment = code.alignment
    let (address, offset) = (code.range.start.rawValue, code.offset.rawValue)
    let (end, overflows) = address.addingReportingOverflow(code.fileSize)
    // With a smaller alignment, the loader may place the image anywhere modulo a huge page.
    let isAligned =
      alignment.isMultiple(of: pageBytes) && alignment > 0
      && address % pageBytes == offset % pageBytes && !overflows
    let first = address / pageBytes + (address.isMultiple(of: pageBytes) ? 0 : 1)
    wholePages = isAligned && end / pageBytes > first ? end / pageBytes - first : 0
  }
}
