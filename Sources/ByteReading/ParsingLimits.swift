/// How much we believe a file. Each bound is far above anything real and keeps a small file from costing
/// gigabytes or minutes.
///
/// The rule that they serve: a reader's time is near linear in the bytes it is given, and its memory at most
/// 16 times these plus 64 MiB. What a decompressor or a demangler puts out counts as given, up to a cap of
/// its own. Whoever passes a bound gets an error, or a warning beside what was read, that names it.
public enum ParsingLimits {
  /// Of one image or map.
  public static let sections: UInt64 = 1 << 20
  /// How often the bytes of a table of names may be used, on average; and of a table that is small, how many
  /// bytes besides.
  public static let sharing: UInt64 = 8
  public static let smallTable: UInt64 = 1 << 20
  /// Entries, comments and patterns of one order file.
  public static let orderFileLines: UInt64 = 1 << 24
  /// Bytes of one link map; names in it have 32-bit positions.
  public static let linkMap = UInt64(UInt32.max)
  /// Bytes of all function names that the DWARF of one image gives, each counted as often as it is used.
  public static let debugNames: UInt64 = 1 << 30
  /// Bytes that one compressed section may grow to.
  public static let decompressedSection: UInt64 = 2 << 30
  /// How many bytes one packed byte of a section may become on average. Debug information becomes 3 to 10.
  public static let decompressionRatio: UInt64 = 128
  /// Bytes of the text of one demangled name; real ones have 20,000 at most.
  public static let demangledName: UInt64 = 1 << 16
  /// Bytes of one trace, which is copied before it is read; and of a stream, which says no size.
  public static let trace: UInt64 = 4 << 30
  public static let stream: UInt64 = 4 << 30
  /// Load records of one trace.
  public static let traceImages: UInt64 = 1 << 16
  /// Objects and arrays of a JSON document that are open at once.
  public static let jsonDepth = 64
  /// Elements of an XML document that are open at once.
  public static let xmlDepth = 256
  /// Bytes of one tag of an XML document.
  public static let xmlTag: UInt64 = 16 << 20
  /// Values of one xctrace export that have an `id`.
  public static let xctraceValues: UInt64 = 1 << 28
}
