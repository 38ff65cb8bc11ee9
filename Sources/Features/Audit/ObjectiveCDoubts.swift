import ObjectFormat

/// What may use a method or a class that no code names.
struct ObjectiveCDoubts {
  let classes: ObjectiveCClasses
  private let strings: Set<[UInt8]>
  private var accessors: Set<[UInt8]> = []
  private var declared: Set<[UInt8]> = []

  /// - Parameter strings: the names that are strings of an image.
  init(classes: ObjectiveCClasses, metadata: [ObjCMetadata], strings: Set<[UInt8]>) {
    self.classes = classes
    self.strings = strings
    for image in metadata {
      for method in image.protocolMethods { declared.insert(method.name) }
      let properties =
        image.protocolProperties + image.classes.flatMap(\.properties)
        + image.categories.flatMap(\.properties)
      for property in properties {
        for name in ObjectiveCNames.accessors(of: property) { accessors.insert(name) }
      }
    }
  }

  func doubt(
    about method: ObjCMetadata.Method, of owner: ObjCMetadata.Class, in image: Int,
    isExported: Bool
  ) -> String? {
    if owner.isSwift { return "Swift calls methods without their selectors" }
    if let doubt = doubt(about: method, isExported: isExported) { return doubt }
    return doubt(aboutSuperclassOf: owner, in: image)
  }

  func doubt(
    about method: ObjCMetadata.Method, of category: ObjCMetadata.Category, in image: Int,
    isExported: Bool
  ) -> String? {
    guard classes.isKnown(category.extended, in: image) else {
      return "it extends a class of another image"
    }
    return doubt(about: method, isExported: isExported)
  }

  func doubt(about owner: ObjCMetadata.Class, in image: Int, isExported: Bool) -> String? {
    if owner.isSwift { return "Swift refers to classes in other ways" }
    if strings.contains(owner.name) { return "its name is also a string" }
    if isExported { return "its library exports it" }
    return doubt(aboutSuperclassOf: owner, in: image)
  }

  private func doubt(about method: ObjCMetadata.Method, isExported: Bool) -> String? {
    let key = ObjectiveCNames.key(ofSetter: method.name)
    if strings.contains(method.name) || key.map(strings.contains) ?? false {
      return "its name is also a string"
    }
    if accessors.contains(method.name) { return "it is an accessor of a property" }
    if declared.contains(method.name) { return "a protocol declares it" }
    if ObjectiveCNames.isOfDelegate(method.name, takesObject: Self.takesObject(method)) {
      return "its name is that of a delegate method"
    }
    if isExported { return "its library exports the class" }
    let isAction =
      method.name.last == UInt8(ascii: ":") && method.name.count { $0 == UInt8(ascii: ":") } == 1
      && method.types.first == UInt8(ascii: "v") && method.types.contains(UInt8(ascii: "@"))
      && method.types.drop { $0 != UInt8(ascii: ":") }.contains(UInt8(ascii: "@"))
    return isAction ? "a nib may name it as an action" : nil
  }

  /// Whether the method's type encoding has an object as the first argument: `@32@0:8@16@24`.
  private static func takesObject(_ method: ObjCMetadata.Method) -> Bool {
    let arguments = method.types.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    return arguments.first { $0 &- UInt8(ascii: "0") > 9 } == UInt8(ascii: "@")
  }

  private func doubt(aboutSuperclassOf owner: ObjCMetadata.Class, in image: Int) -> String? {
    guard let foreign = classes.foreignSuperclass(of: owner, in: image) else {
      return owner.superclass == .none ? nil : "its superclass is unknown"
    }
    guard foreign != Array("NSObject".utf8) else { return nil }
    return "its class inherits from \(String(decoding: foreign, as: UTF8.self))"
  }
}
