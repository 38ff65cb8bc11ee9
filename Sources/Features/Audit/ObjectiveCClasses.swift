import Addresses
import ObjectFormat

/// The classes of several images, by address and by name.
struct ObjectiveCClasses {
  /// A class: its image and its address there.
  struct Key: Hashable {
    var image: Int
    var address: StatedAddress
  }

  private var byKey: [Key: ObjCMetadata.Class] = [:]
  /// The first class of each name; a second class of the name would be an error of the program.
  private var byName: [[UInt8]: Key] = [:]
  /// The classes that code or another class names.
  private(set) var usedClasses: Set<Key> = []

  /// - Parameter namedByCode: for each image, the addresses of its classes that code may refer to.
  init(_ images: [ObjCMetadata], namedByCode: [Set<StatedAddress>]) {
    for (place, image) in images.enumerated() {
      for found in image.classes {
        let key = Key(image: place, address: found.address)
        byKey[key] = found
        if byName[found.name] == nil { byName[found.name] = key }
      }
    }
    for (place, addresses) in namedByCode.enumerated() {
      usedClasses.formUnion(addresses.map { Key(image: place, address: $0) })
    }
    for (place, image) in images.enumerated() {
      for reference in image.classReferences + image.classes.map(\.superclass) {
        if let key = key(of: reference, in: place) { usedClasses.insert(key) }
      }
    }
  }

  private func key(of reference: ObjCMetadata.Reference, in image: Int) -> Key? {
    switch reference {
    case .none: return nil
    case .address(let address):
      let key = Key(image: image, address: address)
      return byKey[key] == nil ? nil : key
    case .symbol(let symbol):
      guard symbol.starts(with: ObjectiveCImages.classPrefix) else { return nil }
      return byName[Array(symbol.dropFirst(ObjectiveCImages.classPrefix.count))]
    }
  }

  /// The name of a class; `nil` if it is unknown.
  func name(of reference: ObjCMetadata.Reference, in image: Int) -> [UInt8]? {
    if let key = key(of: reference, in: image) { return byKey[key]?.name }
    guard case .symbol(let symbol) = reference,
      symbol.starts(with: ObjectiveCImages.classPrefix)
    else { return nil }
    return Array(symbol.dropFirst(ObjectiveCImages.classPrefix.count))
  }

  func isKnown(_ reference: ObjCMetadata.Reference, in image: Int) -> Bool {
    key(of: reference, in: image) != nil
  }

  /// The first superclass that is in none of the images; `nil` for a class without one, and for a cycle.
  func foreignSuperclass(of found: ObjCMetadata.Class, in image: Int) -> [UInt8]? {
    var current = found
    var place = image
    var seen: Set<Key> = []
    while let key = key(of: current.superclass, in: place) {
      guard seen.insert(key).inserted, let next = byKey[key] else { return nil }
      current = next
      place = key.image
    }
    return name(of: current.superclass, in: place)
  }
}
