import ObjectFormat

/// Rules by which the name of a selector alone shows who may call its methods.
enum ObjectiveCNames {
  /// The methods that the runtime and NSObject call, and the methods that NSObject lets its subclasses replace.
  private static let runtime: Set<[UInt8]> = Set(
    """
    load initialize new alloc allocWithZone: init dealloc finalize copy mutableCopy copyWithZone: mutableCopyWithZone: \
    retain release autorelease retainCount zone hash isEqual: description debugDescription class superclass self isProxy \
    .cxx_construct .cxx_destruct isKindOfClass: isMemberOfClass: conformsToProtocol: respondsToSelector: \
    instancesRespondToSelector: methodForSelector: instanceMethodForSelector: doesNotRecognizeSelector: \
    performSelector: performSelector:withObject: performSelector:withObject:withObject: methodSignatureForSelector: \
    instanceMethodSignatureForSelector: forwardInvocation: forwardingTargetForSelector: resolveInstanceMethod: \
    resolveClassMethod: allowsWeakReference retainWeakReference version setVersion: valueForKey: setValue:forKey: \
    valueForKeyPath: setValue:forKeyPath: valueForUndefinedKey: setValue:forUndefinedKey: setNilValueForKey: \
    mutableArrayValueForKey: accessInstanceVariablesDirectly automaticallyNotifiesObserversForKey: \
    keyPathsForValuesAffectingValueForKey: observeValueForKeyPath:ofObject:change:context: willChangeValueForKey: \
    didChangeValueForKey: addObserver:forKeyPath:options:context: removeObserver:forKeyPath: \
    removeObserver:forKeyPath:context: encodeWithCoder: initWithCoder: supportsSecureCoding classForCoder \
    replacementObjectForCoder: awakeAfterUsingCoder: classForKeyedArchiver classForKeyedUnarchiver awakeFromNib \
    prepareForInterfaceBuilder poseAsClass: scriptingProperties objectSpecifier isEqualTo: debugQuickLookObject \
    getObjects:range: countByEnumeratingWithState:objects:count: descriptionWithLocale: attributeKeys className
    """.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { Array($0.utf8) })

  private static let runtimePrefixes = [
    "keyPathsForValuesAffecting", "automaticallyNotifiesObserversOf", "accessibility", "validate",
    "isAccessibility", "setAccessibility", "countOf", "objectIn", "insertObject:in",
    "removeObjectFrom",
  ]

  static func isCalledByRuntime(_ name: [UInt8]) -> Bool {
    runtime.contains(name) || runtimePrefixes.contains { name.starts(with: $0.utf8) }
  }

  /// Methods of delegates and owners that AppKit and Foundation describe without a protocol, so that an image may have
  /// no protocol that declares them.
  private static let informal: Set<[UInt8]> = Set(
    """
    draggedImage:beganAt: draggedImage:movedTo: draggedImage:endedAt:operation: draggedImage:endedAt:deposited: \
    draggingSourceOperationMaskForLocal: ignoreModifierKeysWhileDragging namesOfPromisedFilesDroppedAtDestination: \
    pasteboard:provideDataForType: view:stringForToolTip:point:userData: validModesForFontPanel: \
    writeSelectionToPasteboard:types: readSelectionFromPasteboard: commitEditingWithDelegate:didCommitSelector:contextInfo: \
    attemptRecoveryFromError:optionIndex: attemptRecoveryFromError:optionIndex:delegate:didRecoverSelector:contextInfo: \
    authenticateComponents:withData: layer:shouldInheritContentsScale:fromWindow: outlineView:persistentObjectForItem:
    """.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { Array($0.utf8) })

  /// Words that inform a delegate of an event: `panel:directoryDidChange:`, `sdpQueryComplete:status:`.
  private static let events = [
    "Did", "did", "Will", "will", "Should", "should", "Complete", "Finish",
  ]

  /// The last words of the names of system classes that call delegates and data sources. The first
  /// part of a delegate's selector names the calling object: `mapView:viewForAnnotation:`,
  /// `numberOfSectionsInTableView:`.
  private static let callers = """
    View Controller Bar Field Picker Wheel Manager Session Recognizer Application Window Menu Toolbar Browser Box Center \
    Parser Stream Service Server Player Recorder Connection Download Panel Sheet Alert Control Cell Layer Renderer Scene \
    Synthesizer Interaction Peripheral Central Advertiser Coordinator Archiver Unarchiver Editor Drawer Matrix Pasteboard \
    Operation Output Provider Animator Animation Popover Switcher Carousel Scrubber Storage Layout Printer Document
    """.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { Array($0.utf8) }

  /// Whether a class of the system may call a method of this name for its delegate. Such a method takes at least the
  /// object that calls it.
  static func isOfDelegate(_ name: [UInt8], takesObject: Bool) -> Bool {
    guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return false }
    if informal.contains(name) || events.contains(where: { hasWord(Array($0.utf8), in: name) }) {
      return true
    }
    guard takesObject, let first = name.first else { return false }
    // Capitalizes the first letter, so that `application` matches `Application`.
    let isLower = first &- UInt8(ascii: "a") < 26
    let part = [isLower ? first & ~0x20 : first] + name[1..<colon]
    return callers.contains { hasWord($0, in: part) }
  }

  /// Whether `name` has `word` with no lower-case letter after it and, if `word` begins in lower case, no letter before
  /// it.
  private static func hasWord(_ word: [UInt8], in name: [UInt8]) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    func isLower(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
    guard name.count >= word.count else { return false }
    return (0...name.count - word.count).contains { start in
      let end = start + word.count
      guard name[start..<end].elementsEqual(word) else { return false }
      // A word such as "completed" names the same event as "complete", so lower-case letters after the word are
      // skipped.
      let rest = name[end...].prefix { isLower($0) }
      let isWhole = [[], Array("d".utf8), Array("ed".utf8)].contains(Array(rest))
      return isWhole && (start == 0 || !isLower(word[0]) || !isLetter(name[start - 1]))
    }
  }

  /// Returns `title` for `setTitle:`; `nil` if `name` is not the name of a setter.
  static func key(ofSetter name: [UInt8]) -> [UInt8]? {
    guard name.starts(with: "set".utf8), name.count > 4, name.last == UInt8(ascii: ":"),
      name.count(where: { $0 == UInt8(ascii: ":") }) == 1
    else { return nil }
    let first = name[3]
    let isUpper = first &- UInt8(ascii: "A") < 26
    return [isUpper ? first | 0x20 : first] + name[4..<(name.count - 1)]
  }

  /// The getter and the setter of `property`, and the getter that key-value coding tries.
  static func accessors(of property: ObjCMetadata.Property) -> [[UInt8]] {
    guard let first = property.name.first else { return [] }
    let isLower = first &- UInt8(ascii: "a") < 26
    let initial = isLower ? first & ~0x20 : first
    let capitalized = [initial] + property.name.dropFirst()
    var names: [[UInt8]] = [property.name]
    names.append(Array("is".utf8) + capitalized)
    names.append(Array("set".utf8) + capitalized + Array(":".utf8))
    for attribute in property.attributes.split(separator: UInt8(ascii: ",")) {
      guard let kind = attribute.first, kind == UInt8(ascii: "G") || kind == UInt8(ascii: "S")
      else { continue }
      names.append(Array(attribute.dropFirst()))
    }
    return names
  }
}
