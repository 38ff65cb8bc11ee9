// The reads of a launch in `__TEXT`, apart from functions
//
// The segment `__TEXT` of a Mach-O image begins with its header and contains, in addition to functions, small
// sections that dyld, the Objective-C runtime and the code itself read at launch. No trace shows which of their bytes
// are read. They are counted by these rules, and each row of a report states its rule:
//
//     first page of the segment   header and load commands                  always: dyld walks them
//     __init_offsets              initialisers, 4 bytes each                whole: dyld calls each
//     __stubs, __auth_stubs       a jump for each imported function         whole
//     __stub_helper               their first halves, in images that        whole
//                                 bind lazily
//     __objc_stubs                a call for each selector                  whole
//     __objc_methname             names of selectors                        whole
//     __objc_classname            names of classes                          whole
//     __objc_methlist             relative method lists                     whole
//
// Why whole? A page of 16 KiB holds 1365 stubs of 12 bytes, or 512 Objective-C stubs of 32 bytes. If a launch uses one
// in a hundred stubs, independently, a page of Objective-C stubs stays untouched with a probability of 0.99^512, which
// is 0.6%. Names of selectors and classes are registered one by one when the runtime first sees the image (objc4,
// `_read_images`), unless dyld prepared the image's tables at an earlier launch: then the rule is an upper bound. An
// order file changes none of these sections, so they have the same effect on both layouts.
//
// When? All of it before the first function, in address order. That is true for the sections that dyld and the runtime
// read. Stubs are used at various times, so the reads that `XNUReadModel` counts for them are too few, by the same
// number for both layouts.
//
// What it leaves out: `__cstring` and `__const`, since it is unknown which part a launch reads; types and conformances
// of Swift (`__swift5_...`), searched when a cast needs them; `__objc_methtype`, read on demand; unwind tables, read by
// exceptions only. Load commands that are longer than a page.
//
// A link map does not state where the segment starts, and its first section may be several pages after the
// header. Linkers place executables at 4 GiB and dynamic libraries at 0. For other images (`-image_base`), the header
// is assumed to begin on the last page of 16 KiB on which it fits before the first section.

import Addresses
import ImageModel

/// The segment that contains the code of a Mach-O image, and the other parts of the segment that a launch reads.
struct MachOText {
  static let headerName: SymbolName = "Mach-O header"
  private static let sectionsReadWhole: Set<SymbolName> = [
    "__TEXT,__init_offsets", "__TEXT,__stubs", "__TEXT,__auth_stubs", "__TEXT,__stub_helper",
    "__TEXT,__objc_stubs", "__TEXT,__objc_methname", "__TEXT,__objc_classname",
    "__TEXT,__objc_methlist",
  ]
  /// The largest size of load commands that counts, in bytes; linkers write less.
  private static let mostHeaderBytes: UInt64 = 1 << 20
  /// The size of the header: `sizeof(struct mach_header_64)`.
  private static let machHeaderBytes: UInt64 = 32

  /// The segment's addresses, from the header to the end of the last section.
  let segment: AddressRange
  /// The sections all of whose pages count, as ascending indexes.
  let readWhole: [Int]

  /// - Returns: `nil` for a layout of another format, or without sections in `__TEXT`.
  init?(_ layout: Layout) {
    guard layout.imageFormat == .machO else { return nil }
    let sections = layout.sections
    let own = sections.indices.filter {
      sections[$0].name.bytes.starts(with: Array("__TEXT,".utf8))
    }
    guard let first = own.first else { return nil }
    let start = Self.segmentStart(firstSection: sections[first].range.start)
    let end = own.map { sections[$0].range.end }.max() ?? start
    segment = AddressRange(start: start, size: end - start)
    readWhole = own.filter {
      Self.sectionsReadWhole.contains(sections[$0].name) && sections[$0].range.size > 0
    }
  }

  /// Returns the start of the segment, which is at most `address`.
  private static func segmentStart(firstSection address: StatedAddress) -> StatedAddress {
    let base = address.roundedDown(to: 1 << 32)
    guard address - base > mostHeaderBytes else { return base }
    return StatedAddress(rawValue: address.rawValue - machHeaderBytes).roundedDown(to: 0x4000)
  }
}
