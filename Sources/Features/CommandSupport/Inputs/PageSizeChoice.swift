import ImageModel
import LibC

/// The size of the pages to count.
package enum PageSizeChoice: String, CaseIterable {
  case fourKibibytes = "4k"
  case sixteenKibibytes = "16k"
  case sixtyFourKibibytes = "64k"
  /// For Mach-O, the page size of Apple's systems: 16 KiB on arm64, 4 KiB on x86_64. For ELF, the page size of this
  /// machine if the image has its architecture, else 4 KiB.
  case automatic = "auto"

  /// - Parameters:
  ///   - architecture: the architecture of the images, if it is known.
  ///   - format: the format of the images.
  package func pageSize(
    for architecture: Architecture?, format: ImageFormat = .elf
  ) -> PageSize {
    switch self {
    case .fourKibibytes: return .fourKibibytes
    case .sixteenKibibytes: return .sixteenKibibytes
    case .sixtyFourKibibytes: return .sixtyFourKibibytes
    case .automatic where format == .machO:
      let isIntel = architecture?.description.hasPrefix("x86_64") ?? false
      return isIntel ? .fourKibibytes : .sixteenKibibytes
    case .automatic:
      #if arch(x86_64)
        let own = Architecture.x8664
      #else
        let own = Architecture.arm64
      #endif
      guard architecture ?? own == own else { return .fourKibibytes }
      return PageSize(bytes: UInt64(max(sysconf(Int32(_SC_PAGESIZE)), 0))) ?? .fourKibibytes
    }
  }
}
