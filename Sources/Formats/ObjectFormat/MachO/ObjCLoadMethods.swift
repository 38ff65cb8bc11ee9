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
// A listed class may have no +load, if it asked for early realization by an attribute. The low bits of `data` mark a
// Swift class.
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
  /// The cached result of `bindsInDescriptions`. It is computed for the first category that has a `+load` and extends a
  /// class of another image; until then it is `nil`.
  private var binds: [StatedAddress: ByteRange]?
  /// The budget for the methods of all lists: classes may share a list, which is searched for each class.
  private var budget: ByteBudget

  init(memory: MachOMemory) {
    self.memory = memory
    budget = ByteBudget(limit: 2 * UInt64(memory.file.range.byteCount))
  }

  /// Finds the method of a class, after the methods of its superclasses in this image.
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
        let methods = memory.pointer(at: data.withoutFlags, 32)
      else {
        found.unknownCount += 1
        continue
      }
      add(methods: methods, .classLoad) { search in
        search.memory.shortName(search.memory.pointer(at: data.withoutFlags, 24))
      }
    }
  }

  mutating func add(category pointer: MachOPointer?) {
    guard case .address(let address)? = pointer, let methods = memory.pointer(at: address, 24)
    else {
      found.unknownCount += 1
      return
    }
    add(methods: methods, .categoryLoad) { search in
      guard let text = search.memory.shortName(search.memory.pointer(at: address)) else {
        return nil
      }
      return search.extendedClass(of: address) + Array("(".utf8) + text + Array(")".utf8)
    }
  }

  /// The name of the class that the category at `address` extends; empty if it is unknown.
  private mutating func extendedClass(of address: StatedAddress) -> [UInt8] {
    if let name = memory.className(of: memory.pointer(at: address, 8)) { return name }
    let binds = self.binds ?? bindsInDescriptions()
    self.binds = binds
    guard let slot = address.advanced(by: 8), let symbol = binds[slot] else { return [] }
    let prefix = "_OBJC_CLASS_$_".utf8.count
    guard memory.file.bytes.hasPrefix("_OBJC_CLASS_$_", at: symbol.indices.lowerBound),
      symbol.byteCount <= 1 << 12
    else { return [] }
    return Array(memory.file.bytes.copy(symbol.indices).dropFirst(prefix))
  }

  /// The symbols of other images by the word that gets their address, in the sections that can contain categories.
  private func bindsInDescriptions() -> [StatedAddress: ByteRange] {
    let sections = memory.file.sections.filter {
      $0.sectionName.elementsEqual("__objc_const".utf8)
        || $0.sectionName.elementsEqual("__objc_data".utf8)
    }.map(\.range)
    var found: [StatedAddress: ByteRange] = [:]
    // Without the binds, classes of other images have no names.
    try? memory.file.forEachFixup { fixup in
      guard fixup.kind != .rebase, sections.contains(where: { $0.contains(fixup.address) }) else {
        return
      }
      found[fixup.address] = fixup.symbol
    }
    return found
  }

  /// Finds the first method called `load`; a list without such a method is no error.
  private mutating func add(
    methods: MachOPointer, _ kind: MachOStartFunctions.Function.Kind,
    of owner: (inout Self) -> [UInt8]?
  ) {
    if methods == .null { return }
    guard case .address(let list) = methods, let methods = ObjCMethodList(at: list, memory),
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
        let owner = owner(&self)
        found.append(methods.implementation(index, memory), kind, of: owner, in: memory)
        return
      }
    }
  }
}

extension StatedAddress {
  /// The address of a class without the flags in its low bits, which state the compiler of the class.
  fileprivate var withoutFlags: StatedAddress { StatedAddress(rawValue: rawValue & ~7) }
}

extension MachOMemory {
  fileprivate func pointer(at address: StatedAddress?, _ distance: UInt64) -> MachOPointer? {
    address.flatMap { pointer(at: $0, distance) }
  }

  /// The name of a class of this image; `nil` for a class of another image.
  fileprivate func className(of pointer: MachOPointer?) -> [UInt8]? {
    guard let data = self.pointer(at: pointer?.address, 32)?.address else { return nil }
    return shortName(self.pointer(at: data.withoutFlags, 24))
  }

  /// The name at `pointer`; `nil` also for a name that is longer than compilers write.
  fileprivate func shortName(_ pointer: MachOPointer?) -> [UInt8]? {
    guard let range = pointer?.address.flatMap({ name(at: $0) }), range.count <= 1 << 12 else {
      return nil
    }
    return file.bytes.copy(range)
  }

  /// Whether `name` is at `address`; `nil` if no name can be read there.
  fileprivate func isName(_ address: StatedAddress, _ name: StaticString) -> Bool? {
    guard let (range, _) = find(address, count: 1) else { return nil }
    return file.bytes.hasPrefix(name, at: range.lowerBound)
  }
}
