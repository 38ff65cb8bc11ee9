import ByteReading

/// What a section of a Mach-O image holds, as far as its name tells: a link map states no flags.
///
/// Names are those of `<mach-o/loader.h>` and of ld64, the Swift runtime and the Objective-C runtime. A
/// section of a name that none of them uses is taken for code if it lies in a segment of code: names
/// for code are given by users, `__attribute__((section("__TEXT,__startup")))`.
enum MachOSectionKind {
  case code
  /// Code that the linker made to reach functions of other images, or to call Objective-C methods.
  case stubs
  case data

  /// - Parameter name: where segment and section stand in `bytes`, with a tab between them.
  init(_ bytes: FileBytes, _ name: Range<Int>) {
    let tab = bytes.firstIndex(of: UInt8(ascii: "\t"), in: name) ?? name.lowerBound
    let start = min(tab + 1, name.upperBound)
    func isSection(_ text: StaticString) -> Bool {
      bytes.isEqual(start..<name.upperBound, to: text)
    }
    if Self.stubNames.contains(where: isSection) {
      self = .stubs
    } else if isSection("__text") {
      // In any segment: `-rename_section` moves it, to have it encrypted or paged in apart.
      self = .code
    } else if bytes.hasPrefix("__TEXT", at: name.lowerBound) {
      self = Self.dataPrefixes.contains { bytes.hasPrefix($0, at: start) } ? .data : .code
    } else {
      self = .data
    }
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
