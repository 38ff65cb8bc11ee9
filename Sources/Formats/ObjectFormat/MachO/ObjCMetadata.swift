// The classes, categories and protocols that an image registers with the Objective-C runtime, and the selectors and
// classes that its code refers to.
//
//   __objc_classlist, __objc_catlist, __objc_protolist   pointers to the structures below
//   __objc_selrefs      a pointer to the name of each selector; relative lists of methods use these, too
//   __objc_classrefs, __objc_superrefs                   a pointer to each class that code names; recent linkers let code
//                                                        refer to a class of its own image without one
//
//   class       isa, superclass, two words of cache, data: class_ro_t; the low bits of data say that it is Swift's
//   class_ro_t  at 24 its name, at 32 its methods, at 40 its protocols, at 64 its properties
//   category    name, class, methods, class methods, protocols, properties
//   protocol    isa, name, protocols, methods: required, of the class, optional, optional of the class; properties
//   property    name, attributes: `T@"NSString",G…,S…` has the names of the accessors if they are unusual
//
// <https://github.com/apple-oss-distributions/objc4/blob/main/runtime/objc-runtime-new.h>

import Addresses
import ByteReading

package struct ObjCMetadata: Sendable {
  package struct Method: Hashable, Sendable {
    package var name: [UInt8]
    /// The types of the method's result and parameters, `v24@0:8@16`; empty if unknown.
    package var types: [UInt8]
  }

  package struct Property: Hashable, Sendable {
    package var name: [UInt8]
    package var attributes: [UInt8]
  }

  /// A class that another structure refers to.
  package enum Reference: Hashable, Sendable {
    case none
    /// A class of this image.
    case address(StatedAddress)
    /// A class of another image, by its symbol: `_OBJC_CLASS_$_NSObject`.
    case symbol([UInt8])
  }

  package struct Class: Sendable {
    package var name: [UInt8]
    package var address: StatedAddress
    package var superclass: Reference
    package var methods: [Method] = []
    package var classMethods: [Method] = []
    package var properties: [Property] = []
    package var isSwift = false
  }

  package struct Category: Sendable {
    package var name: [UInt8]
    package var extended: Reference
    package var methods: [Method] = []
    package var classMethods: [Method] = []
    package var properties: [Property] = []
  }

  package private(set) var classes: [Class] = []
  package private(set) var categories: [Category] = []
  package private(set) var protocolCount = 0
  /// The methods that the image's protocols declare.
  package private(set) var protocolMethods: [Method] = []
  package private(set) var protocolProperties: [Property] = []
  /// The selectors in `__objc_selrefs`, and where each reference is.
  package private(set) var selectors: [(slot: StatedAddress, name: [UInt8])] = []
  /// The classes that data of the program refers to: `__objc_classrefs`, the global offset table, tables.
  package private(set) var classReferences: [Reference] = []
  /// Whether lists of methods use `__objc_selrefs`, so that this section also has selectors that no code refers to.
  package private(set) var hasRelativeMethods = false
  /// The number of structures that can't be read.
  package private(set) var unknownCount = 0

  private let memory: MachOMemory
  private var symbols: [StatedAddress: ByteRange] = [:]
  /// The budget for names and lists, which structures may share.
  private var budget: ByteBudget

  /// - Returns: `nil` for an image without Objective-C.
  /// - Throws: the error in a section, or in the data that gives the encoding of pointers; `tooLarge` if structures
  ///   share too much.
  /// - Complexity: O(*n* log *s*) for *n* bytes and *s* segments.
  package init?(of file: MachOFile) throws(ParseError) {
    let names = [
      "__objc_classlist", "__objc_catlist", "__objc_protolist", "__objc_selrefs",
      "__objc_classrefs",
    ]
    guard
      file.sections.contains(where: { section in
        names.contains { section.sectionName.elementsEqual($0.utf8) }
      })
    else { return nil }
    memory = try MachOMemory(file)
    budget = ByteBudget(limit: 4 * UInt64(file.range.byteCount) + ParsingLimits.smallTable)
    var symbols: [StatedAddress: ByteRange] = [:]
    // Without the binds, classes of other images have no names.
    try? file.forEachFixup { fixup in
      if fixup.kind != .rebase, let symbol = fixup.symbol { symbols[fixup.address] = symbol }
    }
    self.symbols = symbols
    for slot in try slots("__objc_classlist") { try addClass(memory.pointer(at: slot)) }
    for name in ["__objc_catlist", "__objc_catlist2"] {
      for slot in try slots(name) { try addCategory(memory.pointer(at: slot)) }
    }
    for slot in try slots("__objc_protolist") { try addProtocol(memory.pointer(at: slot)) }
    for slot in try slots("__objc_selrefs") {
      if let name = try self.name(memory.pointer(at: slot)) { selectors.append((slot, name)) }
    }
    for name in ["__objc_classrefs", "__objc_superrefs"] {
      for slot in try slots(name) { classReferences.append(try reference(at: slot)) }
    }
    classReferences += classesInData()
  }

  /// The sections in which the compiler describes classes; a pointer to a class in these sections is not a use of the
  /// class.
  private static let descriptions = [
    "__objc_classlist", "__objc_nlclslist", "__objc_catlist", "__objc_nlcatlist", "__objc_data",
    "__objc_const", "__objc_superrefs",
  ]

  /// The classes to which a rebased word outside of `descriptions` points.
  private func classesInData() -> [Reference] {
    let addresses = Set(classes.map(\.address))
    let descriptions = memory.file.sections.filter { section in
      Self.descriptions.contains { section.sectionName.elementsEqual($0.utf8) }
    }.map(\.range)
    var found: [Reference] = []
    // If rebases can't be read, another part of the reader gives a warning.
    try? memory.file.forEachFixup { fixup in
      guard fixup.kind == .rebase, let target = memory.pointer(at: fixup.address)?.address,
        addresses.contains(target), !descriptions.contains(where: { $0.contains(fixup.address) })
      else { return }
      found.append(.address(target))
    }
    return found
  }

  private func slots(_ name: String) throws(ParseError) -> [StatedAddress] {
    var arrays = ByteBudget(limit: UInt64(memory.file.range.byteCount))
    var found: [StatedAddress] = []
    for section in memory.file.sections where section.sectionName.elementsEqual(name.utf8) {
      found += try memory.file.elements(of: section, size: 8, &arrays)
    }
    return found
  }

  private mutating func name(_ pointer: MachOPointer?) throws(ParseError) -> [UInt8]? {
    guard let address = pointer?.address, let range = memory.name(at: address) else { return nil }
    try budget.take(range.count + 1, "names of Objective-C", at: memory.file.range.lowerBound)
    return memory.file.bytes.copy(range)
  }

  private mutating func reference(at slot: StatedAddress?) throws(ParseError) -> Reference {
    guard let slot, let pointer = memory.pointer(at: slot) else { return .none }
    if let symbol = symbols[slot] {
      try budget.take(symbol.byteCount, "names of Objective-C", at: symbol.lowerBound)
      return .symbol(memory.file.bytes.copy(symbol.indices))
    }
    return pointer.address.map { .address($0) } ?? .none
  }

  private mutating func addClass(_ pointer: MachOPointer?) throws(ParseError) {
    guard let address = pointer?.address, let stored = memory.pointer(at: address, 32)?.address,
      let name = try self.name(memory.pointer(at: Self.data(stored), 24))
    else {
      unknownCount += 1
      return
    }
    let data = Self.data(stored)
    var found = Class(
      name: name, address: address, superclass: try reference(at: address.advanced(by: 8)))
    found.isSwift = stored.rawValue & 3 != 0
    found.methods = try methods(memory.pointer(at: data, 32))
    found.properties = try properties(memory.pointer(at: data, 64))
    if let metaclass = memory.pointer(at: address)?.address,
      let classData = memory.pointer(at: metaclass, 32)?.address
    {
      found.classMethods = try methods(memory.pointer(at: Self.data(classData), 32))
    }
    classes.append(found)
  }

  /// `data` without the bits that state the compiler of the class.
  private static func data(_ stored: StatedAddress) -> StatedAddress {
    StatedAddress(rawValue: stored.rawValue & ~7)
  }

  private mutating func addCategory(_ pointer: MachOPointer?) throws(ParseError) {
    guard let address = pointer?.address, let name = try self.name(memory.pointer(at: address))
    else {
      unknownCount += 1
      return
    }
    var found = Category(name: name, extended: try reference(at: address.advanced(by: 8)))
    found.methods = try methods(memory.pointer(at: address, 16))
    found.classMethods = try methods(memory.pointer(at: address, 24))
    found.properties = try properties(memory.pointer(at: address, 40))
    categories.append(found)
  }

  private mutating func addProtocol(_ pointer: MachOPointer?) throws(ParseError) {
    protocolCount += 1
    guard let address = pointer?.address else {
      unknownCount += 1
      return
    }
    for distance: UInt64 in [24, 32, 40, 48] {
      protocolMethods += try methods(memory.pointer(at: address, distance))
    }
    protocolProperties += try properties(memory.pointer(at: address, 56))
  }

  private mutating func methods(_ pointer: MachOPointer?) throws(ParseError) -> [Method] {
    guard let address = pointer?.address else { return [] }
    guard let list = ObjCMethodList(at: address, memory) else {
      unknownCount += 1
      return []
    }
    if list.isRelative { hasRelativeMethods = true }
    try budget.take(list.byteCount, "methods", at: memory.file.range.lowerBound)
    var found: [Method] = []
    for index in 0..<list.count {
      guard let place = list.name(index, memory), let name = try self.name(.address(place)) else {
        unknownCount += 1
        continue
      }
      let types = try list.types(index, memory).map { place throws(ParseError) in
        try self.name(.address(place))
      }
      found.append(Method(name: name, types: (types ?? nil) ?? []))
    }
    return found
  }

  /// `property_list_t`: 4 bytes of size, 4 of count, then pairs of pointers.
  private mutating func properties(_ pointer: MachOPointer?) throws(ParseError) -> [Property] {
    guard let address = pointer?.address, memory.integer(at: address, 0) == 16,
      let count = memory.integer(at: address, 4), let start = address.advanced(by: 8),
      memory.find(start, count: UInt64(count) * 16) != nil
    else { return [] }
    try budget.take(Int(count) * 16, "properties", at: memory.file.range.lowerBound)
    var found: [Property] = []
    for index in 0..<UInt64(count) {
      guard let place = start.advanced(by: index * 16),
        let name = try self.name(memory.pointer(at: place)),
        let attributes = try self.name(memory.pointer(at: place, 8))
      else { continue }
      found.append(Property(name: name, attributes: attributes))
    }
    return found
  }
}
