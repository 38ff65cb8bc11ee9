/// How much we believe a file. Each bound is far above anything real and keeps a few flipped bits
/// from costing gigabytes.
public enum ParsingLimits {
  /// Of one image or map.
  public static let sections: UInt64 = 1 << 20
  /// Entries, comments and patterns of one order file.
  public static let orderFileLines: UInt64 = 1 << 24
  /// Bytes of one link map; names in it have 32-bit positions.
  public static let linkMap = UInt64(UInt32.max)
  /// Bytes of all function names that the DWARF of one image gives, each counted as often as it is used.
  public static let debugNames: UInt64 = 1 << 30
  /// Bytes that one compressed section may grow to.
  public static let decompressedSection: UInt64 = 4 << 30
  /// Objects and arrays of a JSON document that are open at once.
  public static let jsonDepth = 64
  /// Elements of an XML document that are open at once.
  public static let xmlDepth = 256
  /// Bytes of one tag of an XML document.
  public static let xmlTag: UInt64 = 16 << 20
  /// Values of one xctrace export that have an `id`.
  public static let xctraceValues: UInt64 = 1 << 28
}
