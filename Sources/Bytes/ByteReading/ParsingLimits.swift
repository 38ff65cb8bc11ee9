/// Bounds on the data that is read from a file. Each bound is far above real values, and keeps a small file from using
/// gigabytes or minutes.
///
/// They serve this rule: a reader's time is nearly linear in the size of its input, and its memory is at most
/// 16 times that size plus 64 MiB. The output of a decompressor or a demangler counts as input, up to a
/// separate bound. Exceeding a bound gives an error, or a warning beside the result, that names the bound.
public enum ParsingLimits {
  /// Sections of one image or map.
  public static let sections: UInt64 = 1 << 20
  /// How often each byte of a table of names may be used on average (`sharing`), and a number of additional bytes that
  /// matters for a small table (`smallTable`).
  public static let sharing: UInt64 = 8
  public static let smallTable: UInt64 = 1 << 20
  /// Entries, comments and patterns of one order file.
  public static let orderFileLines: UInt64 = 1 << 24
  /// Names of functions in one profile of basic block clusters.
  public static let profileNames: UInt64 = 1 << 18
  /// Bytes of one link map; names in it have 32-bit positions.
  public static let linkMap = UInt64(UInt32.max)
  /// Bytes of all function names that the DWARF of one image gives, each counted as often as it is used.
  public static let debugNames: UInt64 = 1 << 30
  /// Bytes of the text in which one compiler states its name and options in DWARF; longer texts are left out. Also the
  /// number of bytes that are read at the beginning of `.comment`.
  public static let debugProducer = 1 << 16
  /// Bytes of one decompressed section.
  public static let decompressedSection: UInt64 = 2 << 30
  /// Output bytes per compressed byte of a section, on average. Real debug information has 3 to 10.
  public static let decompressionRatio: UInt64 = 128
  /// Bytes of one demangled name; real names have at most 20,000.
  public static let demangledName: UInt64 = 1 << 16
  /// Bytes of one trace that is copied before it is read; and of a stream, whose size is unknown.
  public static let trace: UInt64 = 4 << 30
  public static let stream: UInt64 = 4 << 30
  /// Load records of one trace.
  public static let traceImages: UInt64 = 1 << 16
  /// Names and paths in one profile of launches, and functions of all builds.
  public static let profileTexts: UInt64 = 1 << 22
  public static let profileFunctions: UInt64 = 1 << 21
  /// Launches in one log, and in one table of stages.
  public static let launches: UInt64 = 1 << 16
  /// Objects and arrays of a JSON document that are open at once.
  public static let jsonDepth = 64
  /// Elements of an XML document that are open at once.
  public static let xmlDepth = 256
  /// Bytes of one tag of an XML document.
  public static let xmlTag: UInt64 = 16 << 20
  /// Values of one xctrace export that have an `id`.
  public static let xctraceValues: UInt64 = 1 << 28
}
