// The selectors and classes of a program to which nothing refers: the images define them, and no code of the images
// names them. A method is called by its selector, so code does not call a method whose name is in no code of any image.
// Other possible uses are doubts:
//
//   strings             NSSelectorFromString, key-value coding and nibs know methods and classes by their names
//   properties          key-value coding calls accessors
//   protocols           another image calls the methods that a protocol declares
//   superclasses        a class of another image calls the methods that it lets its subclasses replace
//   exported classes    another program may use a library
//   Swift               calls methods without their selectors, and refers to classes in other ways
//   actions             a nib may name a method that takes one object and returns nothing
//   delegates           a class of the system calls methods of delegates that no protocol declares
//   categories          replace methods of a class of another image
//
// Methods that the runtime and NSObject call are used. If there is no doubt about a method, only a program that
// computes names can call it.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The Objective-C images of a closure.
struct ObjectiveCImages {
  private struct Image {
    var name: SymbolName
    var file: MachOFile
    var metadata: ObjCMetadata
    /// Whether the image is a program, to which no other image can refer.
    var isProgram: Bool
    /// The names of classes that its symbol table exports.
    var exported: Set<[UInt8]>
  }

  private var images: [Image] = []
  private(set) var problems: [Diagnostic] = []

  static let classPrefix = Array("_OBJC_CLASS_$_".utf8)

  /// Adds an image if it has Objective-C.
  ///
  /// - Returns: the numbers of classes, selectors and methods that the runtime registers for the image.
  mutating func add(
    _ file: MachOFile, name: SymbolName, path: String
  ) -> AuditedImage.ObjectiveCCounts? {
    do throws(ParseError) {
      guard let metadata = try ObjCMetadata(of: file) else { return nil }
      problems += Diagnostic.skipped(
        metadata.unknownCount, "structure of Objective-C", "it can't be read", in: path)
      var counts = AuditedImage.ObjectiveCCounts()
      counts.classes = metadata.classes.count
      counts.categories = metadata.categories.count
      counts.protocols = metadata.protocolCount
      counts.selectors = metadata.selectors.count
      counts.methods =
        metadata.classes.map { $0.methods.count + $0.classMethods.count }.reduce(0, +)
        + metadata.categories.map { $0.methods.count + $0.classMethods.count }.reduce(0, +)
      for section in file.sections {
        let isNonLazy = ["__objc_nlclslist", "__objc_nlcatlist"].contains {
          section.sectionName.elementsEqual($0.utf8)
        }
        if isNonLazy { counts.nonLazy += Int(clamping: section.range.size / 8) }
      }
      images.append(
        Image(
          name: name, file: file, metadata: metadata,
          isProgram: file.header.type == .executable, exported: try Self.exportedClasses(of: file)))
      return counts
    } catch {
      problems.append(Diagnostic("unable to read Objective-C metadata: \(error)", context: [path]))
      return nil
    }
  }

  private static func exportedClasses(of file: MachOFile) throws(ParseError) -> Set<[UInt8]> {
    guard let table = try file.symbolTable() else { return [] }
    var found: Set<[UInt8]> = []
    var budget = ByteBudget(namesIn: table.names.range.byteCount)
    table.forEachSymbol { symbol in
      guard symbol.isInSection, symbol.type.isExternal, !symbol.type.isPrivateExternal,
        let name = table.names.name(at: symbol.nameOffset),
        file.bytes.hasPrefix("_OBJC_CLASS_$_", at: name.indices.lowerBound),
        budget.take(name.byteCount)
      else { return }
      found.insert(Array(file.bytes.copy(name.indices).dropFirst(classPrefix.count)))
    }
    return found
  }

  // MARK: What is used

  /// The selectors that the code of the images sends, or refers to with `@selector`.
  private func sentSelectors() -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    for image in images {
      let slots = image.metadata.hasRelativeMethods ? sentSlots(of: image) : nil
      for (slot, name) in image.metadata.selectors where slots?.contains(slot) ?? true {
        found.insert(name)
      }
    }
    return found
  }

  /// The addresses of the selector references that the image's code reads; `nil` if they are unknown.
  private func sentSlots(of image: Image) -> Set<StatedAddress>? {
    let sections = image.file.sections.filter {
      $0.sectionName.elementsEqual("__objc_selrefs".utf8)
    }
    // Linkers create one section of selector references, and all code of the image is read for each such section.
    guard sections.count <= 4 else { return nil }
    var found: Set<StatedAddress> = []
    for section in sections {
      guard let slots = try? image.file.slots(readByCodeIn: section.range) else { return nil }
      found.formUnion(slots)
    }
    return found
  }

  /// The addresses of the classes of `image` that its code may refer to: all of them if the code can't be read.
  private func classesNamedByCode(of image: Image) -> Set<StatedAddress> {
    let addresses = image.metadata.classes.map(\.address)
    guard let first = addresses.min(), let last = addresses.max() else { return [] }
    let range = AddressRange(start: first, size: last.rawValue - first.rawValue + 1)
    guard let found = try? image.file.slots(readByCodeIn: range) else { return Set(addresses) }
    return found.intersection(addresses)
  }

  /// Returns the members of `names` that are strings, or components of strings, as in a key path.
  private func strings(among names: Set<[UInt8]>) -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    for image in images {
      // The budget limits the bytes that are read: bytes that sections share are read once for each section.
      var budget = ByteBudget(limit: UInt64(image.file.range.byteCount))
      for section in image.file.sections where section.type == .cStringLiterals {
        let isOwn = ["__objc_methname", "__objc_methtype", "__objc_classname"].contains {
          section.sectionName.elementsEqual($0.utf8)
        }
        guard !isOwn, let range = try? image.file.contents(of: section),
          budget.take(range.byteCount)
        else { continue }
        let separators: [UInt8] = [0, UInt8(ascii: ".")]
        var word: [UInt8] = []
        var whole: [UInt8] = []
        for index in range.indices {
          let byte = image.file.bytes[index]
          if separators.contains(byte) {
            if names.contains(word) { found.insert(word) }
            word.removeAll(keepingCapacity: true)
          } else {
            word.append(byte)
          }
          if byte == 0 {
            if names.contains(whole) { found.insert(whole) }
            whole.removeAll(keepingCapacity: true)
          } else {
            whole.append(byte)
          }
        }
      }
    }
    return found
  }

  // MARK: What is not

  /// - Parameter includesPossible: whether selectors and classes with a doubt are listed, too.
  /// - Returns: `nil` if no image has Objective-C.
  /// - Complexity: O(*n*) for *n* bytes of the images.
  func unused(includingPossible includesPossible: Bool) -> UnusedObjectiveC? {
    guard !images.isEmpty else { return nil }
    let classes = ObjectiveCClasses(
      images.map(\.metadata), namedByCode: images.map(classesNamedByCode))
    var names: Set<[UInt8]> = []
    for image in images {
      for found in image.metadata.classes {
        names.insert(found.name)
        for method in found.methods + found.classMethods {
          names.insert(method.name)
          if let key = ObjectiveCNames.key(ofSetter: method.name) { names.insert(key) }
        }
      }
      for found in image.metadata.categories {
        for method in found.methods + found.classMethods { names.insert(method.name) }
      }
    }
    let doubts = ObjectiveCDoubts(
      classes: classes, metadata: images.map(\.metadata), strings: strings(among: names))
    var result = UnusedObjectiveC(
      selectors: [], classes: [], furtherSelectors: 0, furtherClasses: 0)
    let sent = sentSelectors()
    let used = classes.usedClasses
    for (place, image) in images.enumerated() {
      let selectors = unusedSelectors(of: image, place, sent, doubts)
      let classes = unusedClasses(of: image, place, used, doubts)
      result.selectors += selectors.filter { $0.doubt == nil || includesPossible }
      result.classes += classes.filter { $0.doubt == nil || includesPossible }
      if !includesPossible {
        result.furtherSelectors += selectors.count { $0.doubt != nil }
        result.furtherClasses += classes.count { $0.doubt != nil }
      }
    }
    return result
  }

  private func unusedSelectors(
    of image: Image, _ place: Int, _ sent: Set<[UInt8]>, _ doubts: ObjectiveCDoubts
  ) -> [UnusedObjectiveC.Selector] {
    var found: [UnusedObjectiveC.Selector] = []
    var places: [[UInt8]: Int] = [:]
    func add(_ method: ObjCMetadata.Method, of owner: [UInt8], _ doubt: () -> String?) {
      guard !sent.contains(method.name), !ObjectiveCNames.isCalledByRuntime(method.name) else {
        return
      }
      let doubt = doubt()
      if let place = places[method.name] {
        let owner = SymbolName(bytes: owner)
        if found[place].classes.last != owner { found[place].classes.append(owner) }
        found[place].doubt = found[place].doubt ?? doubt
        return
      }
      places[method.name] = found.count
      found.append(
        .init(
          name: SymbolName(bytes: method.name), classes: [SymbolName(bytes: owner)],
          image: image.name, doubt: doubt))
    }
    for owner in image.metadata.classes {
      let isExported = !image.isProgram && image.exported.contains(owner.name)
      for method in owner.methods + owner.classMethods {
        add(method, of: owner.name) {
          doubts.doubt(about: method, of: owner, in: place, isExported: isExported)
        }
      }
    }
    for category in image.metadata.categories {
      let extended = doubts.classes.name(of: category.extended, in: place)
      let owner = (extended ?? []) + Array("(".utf8) + category.name + Array(")".utf8)
      let isExported = !image.isProgram && extended.map(image.exported.contains) ?? true
      for method in category.methods + category.classMethods {
        add(method, of: owner) {
          doubts.doubt(about: method, of: category, in: place, isExported: isExported)
        }
      }
    }
    return found.sorted { ($0.name, $0.classes[0]) < ($1.name, $1.classes[0]) }
  }

  private func unusedClasses(
    of image: Image, _ place: Int, _ used: Set<ObjectiveCClasses.Key>, _ doubts: ObjectiveCDoubts
  ) -> [UnusedObjectiveC.Class] {
    image.metadata.classes.filter {
      !used.contains(.init(image: place, address: $0.address))
        && !$0.classMethods.contains { $0.name == Array("load".utf8) }
    }.map { owner in
      let isExported = !image.isProgram && image.exported.contains(owner.name)
      return .init(
        name: SymbolName(bytes: owner.name), image: image.name,
        doubt: doubts.doubt(about: owner, in: place, isExported: isExported))
    }.sorted { $0.name < $1.name }
  }
}
