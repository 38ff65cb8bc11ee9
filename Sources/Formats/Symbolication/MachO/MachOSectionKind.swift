import ByteReading
import ImageModel

/// The contents of a section of a Mach-O image, derived from its name, because a link map states no flags.
///
/// The known names come from `<mach-o/loader.h>`, ld64, and the Swift and Objective-C runtimes. A section with another
/// name is treated as code if it is in a segment of code: users give sections of code their own names, as in
/// `__attribute__((section("__TEXT,__startup")))`.
enum MachOSectionKind {
  case code
  /// Code that the linker created to reach functions of other images, or to call Objective-C methods.
  case stubs
  case data

  /// - Parameter name: the place in `bytes` of segment and section, separated by a tab.
  init(_ bytes: FileBytes, _ name: Range<Int>) {
    let tab = bytes.firstIndex(of: UInt8(ascii: "\t"), in: name) ?? name.lowerBound
    let start = min(tab + 1, name.upperBound)
    func isSection(_ text: StaticString) -> Bool {
      bytes.isEqual(start..<name.upperBound, to: text)
    }
    if Self.stubNames.contains(where: isSection) {
      self = .stubs
    } else if isSection("__text") {
      // `__text` is code in any segment: `-rename_section` moves it, to have it encrypted or paged in separately.
      self = .code
    } else if bytes.hasPrefix("__TEXT", at: name.lowerBound) {
      self = Self.dataPrefixes.contains { bytes.hasPrefix($0, at: start) } ? .data : .code
    } else {
      self = .data
    }
  }

  /// Whether an image's section, `__TEXT,__objc_stubs`, is one of `stubs`.
  static func isStubs(_ section: Section) -> Bool {
    let name = section.name.bytes.drop { $0 != UInt8(ascii: ",") }.dropFirst()
    return stubNames.contains { name.elementsEqual("\($0)".utf8) }
  }

  private static let stubNames: [StaticString] = [
    "__stubs", "__stub_helper", "__auth_stubs", "__objc_stubs", "__delay_stubs", "__delay_helper",
  ]

  private static let dataPrefixes: [StaticString] = [
    "__const", "__cstring", "__ustring", "__literal", "__objc_", "__swift", "__gcc_except",
    "__unwind_info", "__eh_frame", "__init_offsets", "__oslogstring", "__asan_", "__dof_",
    "__info_plist", "__launchd_plist", "__entitlements", "__ents_der", "__lcxx_override",
    "__rodata", "__dlopen_cstrs",
  ]
}
