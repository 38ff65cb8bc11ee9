import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

/// An image assembled word by word, whose pointers are stored as they are. `__TEXT` holds the names
/// `load` at 0x100000100 and `other` at 0x100000110, and could hold functions up to 0x100004000.
private struct Words {
  static let text: UInt64 = 0x1_0000_0000
  static let data: UInt64 = 0x1_0000_4000
  static let load = text + 0x100
  static let other = text + 0x110
  static let function = text + 0x1000

  /// The words of `__DATA`, by their offset.
  var data: [UInt64: UInt64] = [:]
  /// The section that lists the first words of `data`.
  var list = (name: "__objc_nlclslist", count: 1 as UInt64)

  /// One class with its metaclass, constants, and two class methods with absolute references; the second is `+load`.
  static var oneClass: Self {
    Self(data: [
      0x00: data + 0x100,  // the list
      0x100: data + 0x140, 0x108: 0,  // the class: isa, superclass
      0x140 + 32: data + 0x180,  // the metaclass: data
      0x180 + 32: data + 0x200,  // class_ro_t: baseMethods
      0x200: 2 << 32 | 24,  // method_list_t: entsize, count
      0x208: other, 0x218: function + 0x20, 0x220: load, 0x230: function,
    ])
  }

  func file() throws -> MachOFile {
    var contents = ByteWriter()
    for offset in stride(from: 0 as UInt64, to: 0x400, by: 8) { contents.write(data[offset] ?? 0) }
    var names = [UInt8](repeating: 0, count: 0x120)
    names.replaceSubrange(0x100..<0x104, with: Array("load".utf8))
    names.replaceSubrange(0x110..<0x115, with: Array("other".utf8))
    var writer = MachOWriter()
    writer.segments = [
      .init("__TEXT", address: Self.text, size: 0x4000, isExecutable: true, contents: names),
      .init(
        "__DATA", address: Self.data, size: 0x4000, contents: contents.bytes,
        sections: [.init("__DATA", list.name, offset: 0, size: list.count * 8)]),
    ]
    return try MachOFile(parsing: FileBytes(writer.bytes()))
  }
}

@Suite struct ObjCLoadMethodTests {
  /// A change of the image with one class, and the methods that are then found.
  struct Change: CustomTestStringConvertible, Sendable {
    var name: String
    var words: [UInt64: UInt64]
    var found: [UInt64] = []
    var unknownCount = 0
    var testDescription: String { name }
  }

  @Test(arguments: [
    Change(name: "nothing", words: [:], found: [Words.function]),
    Change(
      name: "a class that Swift made", words: [0x140 + 32: Words.data + 0x182],
      found: [Words.function]),
    Change(
      name: "relative methods with references to selectors",
      words: [
        // Each is name, types, function. 0x208 + 0x100 and 0x214 + 0xfc are the references; 0x4210 -
        // 0x31f0 and 0x421c - 0x321c are the functions.
        0x200: 2 << 32 | 0x8000_0000 | 12, 0x208: 0x100, 0x210: 0x0000_00fc_ffff_ce10,
        0x218: 0xffff_cde4 << 32, 0x308: Words.other, 0x310: Words.load,
      ], found: [Words.function]),
    Change(
      name: "relative methods with the selectors' names",
      words: [
        0x200: 1 << 32 | 0xc000_0000 | 12,
        0x208: UInt64(UInt32(truncatingIfNeeded: Words.load &- (Words.data + 0x208))),
        0x210: UInt64(UInt32(truncatingIfNeeded: Words.function &- (Words.data + 0x210))),
      ], found: [Words.function]),
    Change(name: "no class methods", words: [0x180 + 32: 0]),
    Change(name: "no +load", words: [0x220: Words.other]),
    Change(name: "a longer name", words: [0x220: Words.other - 1]),
    Change(name: "its own superclass", words: [0x108: Words.data + 0x100], found: [Words.function]),
    Change(
      name: "a superclass that leads nowhere", words: [0x108: 0x5000], found: [Words.function],
      unknownCount: 1),
    Change(name: "no class", words: [0: 0], unknownCount: 1),
    Change(name: "a class outside", words: [0: 0x5000], unknownCount: 1),
    Change(name: "a class in zero-fill", words: [0: Words.data + 0x1000], unknownCount: 1),
    Change(name: "no metaclass", words: [0x100: 0], unknownCount: 1),
    Change(name: "a metaclass at the end of memory", words: [0x100: .max], unknownCount: 1),
    Change(name: "no constants", words: [0x140 + 32: 0], unknownCount: 1),
    Change(name: "methods outside", words: [0x180 + 32: 0x5000], unknownCount: 1),
    Change(
      name: "more methods than bytes", words: [0x200: 0xffff_ffff << 32 | 24], unknownCount: 1),
    Change(name: "methods of 16 bytes", words: [0x200: 2 << 32 | 16], unknownCount: 1),
    Change(name: "a name outside", words: [0x208: 0x5000], unknownCount: 1),
    Change(name: "a null name", words: [0x208: 0], unknownCount: 1),
    Change(name: "a function in data", words: [0x230: Words.data], unknownCount: 1),
    Change(name: "a null function", words: [0x230: 0], unknownCount: 1),
  ])
  func aClassIsFollowedAsTheRuntimeDoes(_ change: Change) throws {
    var words = Words.oneClass
    words.data.merge(change.words) { $1 }
    let found = try words.file().loadMethods()
    #expect(found.addresses.map(\.rawValue) == change.found)
    #expect(found.unknownCount == change.unknownCount)
  }

  @Test func classesThatAreEachOthersSuperclassEnd() throws {
    var words = Words.oneClass
    words.list.count = 3
    words.data.merge([
      0x08: Words.data + 0x300, 0x10: Words.data + 0x100, 0x108: Words.data + 0x300,
      0x300: Words.data + 0x340, 0x308: Words.data + 0x100, 0x340 + 32: Words.data + 0x180,
    ]) { $1 }
    let found = try words.file().loadMethods()
    #expect(found.addresses.map(\.rawValue) == [Words.function, Words.function])
    #expect(found.unknownCount == 0)
  }

  @Test func aCategorysClassMethodsAreLookedAt() throws {
    var words = Words.oneClass
    words.list.name = "__objc_nlcatlist"
    words.data[0x100 + 16] = 0x5000  // instance methods, of no interest
    words.data[0x100 + 24] = Words.data + 0x200
    #expect(try words.file().loadMethods().addresses.map(\.rawValue) == [Words.function])
    words.data[0x100 + 24] = 0
    #expect(try words.file().loadMethods().addresses.isEmpty)
    words.data[0] = 0x5000
    #expect(try words.file().loadMethods().unknownCount == 1)
  }

  @Test func aListBehindTheEndOfTheFileIsTruncated() throws {
    var words = Words.oneClass
    words.list.count = 1 << 50
    let file = try words.file()
    let error = #expect(throws: ParseError.self) { try file.loadMethods() }
    #expect(error?.field == "section_64.size")
  }

  @Test func damagedClassesNeverTrap() throws {
    let whole = try Words.oneClass.file()
    let bytes = whole.bytes.copy(whole.bytes.all.indices)
    var foundCount = 0
    for flipped in byteFlips(of: bytes, count: 3000) {
      guard let file = try? MachOFile(parsing: FileBytes(flipped)) else { continue }
      if (try? file.loadMethods())?.unknownCount == 1 { foundCount += 1 }
    }
    #expect(foundCount > 20, "some flips hit a pointer")
  }
}
