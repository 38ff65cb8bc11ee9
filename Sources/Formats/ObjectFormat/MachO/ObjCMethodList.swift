import Addresses
import ByteReading

/// `method_list_t`: 4 bytes of flags and size, 4 of count, then the methods. `ObjCLoadMethods.swift` describes them.
struct ObjCMethodList {
  var count: UInt64
  private var start: StatedAddress
  /// Whether names are found through the selector references of the image.
  private(set) var isRelative: Bool
  private var hasDirectSelectors: Bool

  /// - Returns: `nil` if the list is outside the file, or of another form.
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

  /// Returns the address of the name of a method's selector.
  func name(_ index: UInt64, _ memory: MachOMemory) -> StatedAddress? {
    let method = start.advanced(by: index * size)
    guard isRelative else { return method.flatMap { memory.pointer(at: $0) }?.address }
    let target = method.flatMap { memory.target(at: $0, 0) }
    return hasDirectSelectors ? target : target.flatMap { memory.pointer(at: $0) }?.address
  }

  /// Returns the address of the encoded types of a method.
  func types(_ index: UInt64, _ memory: MachOMemory) -> StatedAddress? {
    guard let method = start.advanced(by: index * size) else { return nil }
    return isRelative ? memory.target(at: method, 4) : memory.pointer(at: method, 8)?.address
  }

  func implementation(_ index: UInt64, _ memory: MachOMemory) -> StatedAddress? {
    guard let method = start.advanced(by: index * size) else { return nil }
    return isRelative ? memory.target(at: method, 8) : memory.pointer(at: method, 16)?.address
  }
}

extension MachOPointer {
  var address: StatedAddress? {
    if case .address(let address) = self { address } else { nil }
  }
}

extension MachOMemory {
  /// The bytes of the name at `address`, without its terminating zero; `nil` if no name can be read there.
  func name(at address: StatedAddress) -> Range<Int>? {
    guard let (first, segment) = find(address, count: 1) else { return nil }
    let field = file.segments[segment]
    guard
      let place = try? file.range(offset: field.offset.rawValue, size: field.fileSize, "filesize"),
      first.lowerBound < place.indices.upperBound,
      let end = file.bytes.firstIndex(of: 0, in: first.lowerBound..<place.indices.upperBound)
    else { return nil }
    return first.lowerBound..<end
  }
}
