/// Bounds on the data that is read from a file. Each bound is far above real values, and keeps a small file from using
/// gigabytes or minutes.
///
/// They serve this rule: a reader's time is nearly linear in the size of its input, and its memory is at most
/// 16 times that size plus 64 MiB. The output of a decompressor or a demangler counts as input, up to a
/// separate bound. Exceeding a bound gives an error, or a warning beside the result, that names the bound.
public enum ParsingLimits {
  /// The largest number of sections in one image or link map.
  public static let sections: UInt64 = 1 << 20
  /// How often each byte of a table of names may be used on average (`sharing`), and a number of additional bytes that
  /// matters for a small table (`smallTable`).
  public static let sharing: UInt64 = 8
  public static let smallTable: UInt64 = 1 << 20
  /// The largest number of entries, comments and patterns in one order file.
  public static let orderFileLines: UInt64 = 1 << 24
  /// The largest number of function names in one profile of basic block clusters.
  public static let profileNames: UInt64 = 1 << 18
  /// The largest size of a link map in bytes, because names in it have 32-bit positions.
  public static let linkMap = UInt64(UInt32.max)
  /// The largest sum of the sizes, in bytes, of the function names in the DWARF of one image; each name counts as often
  /// as it is used.
  public static let debugNames: UInt64 = 1 << 30
  /// The largest size, in bytes, of the text in which one compiler states its name and options in DWARF; longer texts
  /// are left out. Also the number of bytes that are read at the beginning of `.comment`.
  public static let debugProducer = 1 << 16
  /// The largest size of a decompressed section, in bytes.
  public static let decompressedSection: UInt64 = 2 << 30
  /// The largest number of output bytes for each compressed byte of a section, on average. Real debug information has 3
  /// to 10.
  public static let decompressionRatio: UInt64 = 128
  /// The largest size of a demangled name, in bytes; real names have at most 20,000.
  public static let demangledName: UInt64 = 1 << 16
  /// The largest size, in bytes, of a trace that is copied before it is read, and of a stream, whose size is unknown.
  public static let trace: UInt64 = 4 << 30
  public static let stream: UInt64 = 4 << 30
  /// The largest number of load records in one trace.
  public static let traceImages: UInt64 = 1 << 16
  /// The largest number of names and paths in one profile of launches, and of functions of all its builds.
  public static let profileTexts: UInt64 = 1 << 22
  public static let profileFunctions: UInt64 = 1 << 21
  /// The largest number of launches in one log, and in one table of stages.
  public static let launches: UInt64 = 1 << 16
  /// The largest depth of nested objects and arrays in a JSON document.
  public static let jsonDepth = 64
  /// The largest depth of nested elements in an XML document.
  public static let xmlDepth = 256
  /// The largest size of a tag in an XML document, in bytes.
  public static let xmlTag: UInt64 = 16 << 20
  /// The largest number of values with an `id` in one xctrace export.
  public static let xctraceValues: UInt64 = 1 << 28
}
