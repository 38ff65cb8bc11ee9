// The +load methods that the Objective-C runtime calls when an image is loaded, before the image's
// initializers.
//
// The compiler lists the classes with a +load in __objc_nlclslist ("non-lazy"), and the categories in
// __objc_nlcatlist. The runtime processes the first list, a superclass in the same image before its subclass,
// and then the second. The path from a class to its method is
//
//   class -> isa: the metaclass -> data -> class_ro_t -> baseMethods: the class methods -> "load"
//   category -> classMethods -> "load"
//
// and a list of methods has one of two forms:
//
//   absolute   24 bytes each: pointers to the selector's name, the types, the function
//   relative   12 bytes each: three 32-bit distances, each from where it stands; the first leads to a
//              pointer to the selector's name, or, in a shared cache, to the name itself
//
// A listed class may have no +load: it asked for early realization by an attribute. The low bits of `data`
// say that it is a Swift class.
//
// <https://github.com/apple-oss-distributions/objc4/blob/main/runtime/objc-runtime-new.h>, and
// prepare_load_methods in objc-runtime-new.mm

import Addresses
import ByteReading

extension MachOFile {
  /// The `+load` methods of a linked image.
  ///
  /// - Throws: the error in a list's section, or in the data that gives the encoding of pointers. Any error
  ///   in a class or a category counts as one unknown method.
  /// - Complexity: O(*m* log *s*) for *m* class methods of listed classes and *s* segments.
  package func loadMethods() throws(ParseError) -> MachOStartFunctions {
    var search = LoadMethodSearch(memory: try MachOMemory(self))
    try forEachPointer(inSections: "__objc_nlclslist", search.memory) { search.add(class: $0) }
    try forEachPointer(inSections: "__objc_nlcatlist", search.memory) { search.add(category: $0) }
    return search.found
  }

  /// Calls `body` with each pointer in the sections called `name`: their segment is `__DATA`,
  /// `__DATA_CONST` or `__DATA_DIRTY`.
  private func forEachPointer(
    inSections name: String, _ memory: MachOMemory, _ body: (MachOPointer?) -> Void
  ) throws(ParseError) {
    var budget = ByteBudget(limit: UInt64(range.byteCount))
    for section in sections where section.sectionName.elementsEqual(name.utf8) {
      for address in try elements(of: section, size: 8, &budget) {
        body(memory.pointer(at: address))
      }
    }
  }
}

private struct LoadMethodSearch {
  let memory: MachOMemory
  var found = MachOStartFunctions()
  private var seenClasses: Set<StatedAddress> = []
  /// The budget for the methods of all lists: classes may share a list, which is searched for each.
  private var budget: ByteBudget

  init(memory: MachOMemory) {
    self.memory = memory
    budget = ByteBudget(limit: 2 * UInt64(memory.file.range.byteCount))
  }

  /// Finds the method of a class, after those of its superclasses in this image.
  mutating func add(class pointer: MachOPointer?) {
    guard case .address(var current)? = pointer else {
      found.unknownCount += 1
      return
    }
    var chain: [StatedAddress] = []
    while seenClasses.insert(current).inserted {  // ends a cycle
      chain.append(current)
      guard case .address(let superclass)? = memory.pointer(at: current, 8) else { break }
      current = superclass
    }
    for current in chain.reversed() {
      guard case .address(let metaclass)? = memory.pointer(at: current),
        case .address(let data)? = memory.pointer(at: metaclass, 32),
        let methods = memory.pointer(at: StatedAddress(rawValue: data.rawValue & ~7), 32)
      else {
        found.unknownCount += 1
        continue
      }
      add(methods: methods)
    }
  }

  mutating func add(category pointer: MachOPointer?) {
    guard case .address(let category)? = pointer, let methods = memory.pointer(at: category, 24)
    else {
      found.unknownCount += 1
      return
    }
    add(methods: methods)
  }

  /// Finds the first method called `load`; it is no error if there is none.
  private mutating func add(methods: MachOPointer) {
    if methods == .null { return }
    guard case .address(let list) = methods, let methods = MethodList(at: list, memory),
      budget.take(methods.byteCount)
    else {
      found.unknownCount += 1
      return
    }
    for index in 0..<methods.count {
      guard let name = methods.name(index, memory), let isLoad = memory.isName(name, "load\0")
      else {
        found.unknownCount += 1
        return
      }
      if isLoad {
        found.append(methods.implementation(index, memory), in: memory)
        return
      }
    }
  }
}

/// `method_list_t`: 4 bytes of flags and size, 4 of count, then the methods.
private struct MethodList {
  var count: UInt64
  private var start: StatedAddress
  private var isRelative: Bool
  private var hasDirectSelectors: Bool

  /// - Returns: `nil` if there is none: outside the file, or of another form.
  init?(at address: StatedAddress, _ memory: MachOMemory) {
    guard let flags = memory.integer(at: address, 0), let count = memory.integer(at: address, 4),
      let start = address.advanced(by: 8)
    else { return nil }
    isRelative = flags & 0x8000_0000 != 0  // smallMethodListFlag
    hasDirectSelectors = flags & 0x4000_0000 != 0  // relativeMethodSelectorsAreDirectFlag
    self.count = UInt64(count)
    self.start = start
    guard UInt64(flags & 0xfffc) == size, memory.find(start, count: self.count * size) != nil else {
      return nil
    }
  }

  /// The size of all methods; `init` has checked that they are in the file.
  var byteCount: Int { Int(count * size) }

  /// The size of one method in bytes.
  private var size: UInt64 { isRelative ? 12 : 24 }

  /// The address of the selector's name.
  func name(_ index: UInt64, _ memory: MachOMemory) -> StatedAddress? {
    let method = start.advanced(by: index * size)
    guard isRelative else { return method.flatMap { memory.pointer(at: $0) }?.address }
    let target = method.flatMap { memory.target(at: $0, 0) }
    return hasDirectSelectors ? target : target.flatMap { memory.pointer(at: $0) }?.address
  }

  func implementation(_ index: UInt64, _ memory: MachOMemory) -> StatedAddress? {
    guard let method = start.advanced(by: index * size) else { return nil }
    return isRelative ? memory.target(at: method, 8) : memory.pointer(at: method, 16)?.address
  }
}

extension MachOPointer {
  fileprivate var address: StatedAddress? {
    if case .address(let address) = self { address } else { nil }
  }
}

extension MachOMemory {
  /// Whether `name` is at `address`; `nil` if no name can be read there.
  fileprivate func isName(_ address: StatedAddress, _ name: StaticString) -> Bool? {
    guard let (range, _) = find(address, count: 1) else { return nil }
    return file.bytes.hasPrefix(name, at: range.lowerBound)
  }
}
