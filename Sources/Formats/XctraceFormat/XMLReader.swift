// A wrapper of libexpat; no other file here touches its pointers.
//
// A document type declaration is rejected, and entities with it: no export has such a declaration, and entities can
// grow without bound and name other files.

import Addresses
import ByteReading
import CExpat

/// Reads an XML document from start to end in one pass, and keeps nothing of it. Subclasses interpret the
/// elements.
///
/// libexpat may deliver an event long after it got its bytes: since version 2.6 (in Debian 12, 2.5.0-1+deb12u5) it
/// defers an unfinished token until twice as many bytes have come. `OpenMarkup` therefore finds unfinished tokens.
class XMLReader {
  private var parser: XML_Parser?
  private var error: ParseError?
  private var depth = 0

  /// Called when an element begins. A thrown `ParseError` ends the reading; its position is added
  /// automatically.
  func start(_ name: XMLText, _ attributes: XMLAttributes) throws(ParseError) {}
  /// Called when the innermost open element ends.
  func end() throws(ParseError) {}
  /// Called with a part of the text in the innermost open element; libexpat chooses the parts.
  func text(_ text: XMLText) throws(ParseError) {}

  /// The number of bytes passed to libexpat at a time. After each chunk, memory is returned to the kernel,
  /// and an unterminated tag is noticed.
  private static let chunk = 1 << 20

  /// Reads all of `bytes`. Memory use does not grow with their number.
  ///
  /// - Throws: the errors of the subclass; `missing` with the tag if the document ends too early; `invalid`
  ///   if it is not well-formed; `unsupported` for a document type declaration; `tooLarge` beyond
  ///   `ParsingLimits`. All have a byte position and a line.
  /// - Complexity: O(*n*) for *n* bytes.
  final func read(_ bytes: FileBytes) throws(ParseError) {
    guard let parser = XML_ParserCreate(nil) else {
      throw ParseError(.tooLarge(limit: 0, found: 0), "XML", at: FileOffset(rawValue: 0))
    }
    self.parser = parser
    defer {
      XML_ParserFree(parser)
      self.parser = nil
    }
    setHandlers(parser)
    var position = 0
    var markup = OpenMarkup(bytes)
    repeat {
      let end = min(position + Self.chunk, bytes.count)
      let status = bytes.withBytes(position..<end) { chunk in
        XML_Parse(
          parser, chunk.bindMemory(to: CChar.self).baseAddress, Int32(chunk.count),
          end == bytes.count ? 1 : 0)
      }
      if let error { throw error }
      guard status == XML_STATUS_OK else { throw syntaxError(parser, atEnd: end == bytes.count) }
      bytes.release(position..<end)
      position = end
      // Open markup starts at libexpat's position or later, so that most documents need no scan.
      if UInt64(position) - min(UInt64(position), here(parser).rawValue) > ParsingLimits.xmlTag {
        try checkLength(of: &markup, to: position, in: bytes)
      }
    } while position < bytes.count
  }

  /// - Throws: `tooLarge` if the markup that is open at `end` exceeds its limit.
  private func checkLength(
    of markup: inout OpenMarkup, to end: Int, in bytes: FileBytes
  ) throws(ParseError) {
    markup.scan(to: end)
    guard let start = markup.start else { return }
    let length = UInt64(end - start)
    guard length > ParsingLimits.xmlTag else { return }
    var lines = LineScanner(bytes)
    while lines.position <= start, lines.next() != nil {}
    throw ParseError(
      .tooLarge(limit: ParsingLimits.xmlTag, found: length), "tag",
      at: FileOffset(rawValue: UInt64(start)), line: lines.lineNumber)
  }

  private func setHandlers(_ parser: XML_Parser) {
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let name, let attributes else { return }
        XMLReader.of(context)?.handle { reader throws(ParseError) in
          try reader.begin(XMLText(name), XMLAttributes(first: attributes))
        }
      },
      { context, _ in
        XMLReader.of(context)?.handle { reader throws(ParseError) in
          reader.depth -= 1
          try reader.end()
        }
      })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let text else { return }
      XMLReader.of(context)?.handle { reader throws(ParseError) in
        try reader.text(XMLText(text, count: Int(count)))
      }
    }
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
      XMLReader.of(context)?.handle { reader throws(ParseError) in
        throw reader.located(.unsupported(found: "a document type declaration"), "<!DOCTYPE")
      }
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
    context.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func begin(_ name: XMLText, _ attributes: XMLAttributes) throws(ParseError) {
    depth += 1
    guard depth <= ParsingLimits.xmlDepth else {
      throw ParseError(
        .tooLarge(limit: UInt64(ParsingLimits.xmlDepth), found: UInt64(depth)), "nesting",
        at: FileOffset(rawValue: 0))
    }
    try start(name, attributes)
  }

  /// Runs `body` and ends the reading if it throws.
  private func handle(_ body: (XMLReader) throws(ParseError) -> Void) {
    // libexpat may deliver a few more events after it is told to stop.
    guard error == nil else { return }
    do throws(ParseError) { try body(self) } catch {
      self.error = located(error.reason, error.field)
      if let parser { XML_StopParser(parser, XML_Bool(XML_FALSE)) }
    }
  }

  private func located(_ reason: ParseError.Reason, _ field: String) -> ParseError {
    guard let parser else { return ParseError(reason, field, at: FileOffset(rawValue: 0)) }
    return ParseError(
      reason, field, at: here(parser), line: Int(clamping: orderfile_xml_line(parser)))
  }

  private func here(_ parser: XML_Parser) -> FileOffset {
    FileOffset(rawValue: orderfile_xml_position(parser))
  }

  private func syntaxError(_ parser: XML_Parser, atEnd: Bool) -> ParseError {
    let code = XML_GetErrorCode(parser)
    let early = [
      XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
      XML_ERROR_UNCLOSED_CDATA_SECTION,
    ]
    if atEnd, early.contains(code) {
      return located(.missing, depth == 0 ? "an element" : "the end of \(depth) open elements")
    }
    let what = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    return located(.invalid(expected: "well-formed XML", found: what), "XML")
  }
}

/// A name or text in the document. It must not outlive the call that received it.
struct XMLText {
  private let start: UnsafePointer<XML_Char>
  /// The length in bytes of UTF-8.
  let count: Int

  fileprivate init(_ start: UnsafePointer<XML_Char>, count: Int) {
    self.start = start
    self.count = count
  }

  /// The text up to the zero byte.
  fileprivate init(_ start: UnsafePointer<XML_Char>) {
    var count = 0
    while start[count] != 0 { count += 1 }
    self.init(start, count: count)
  }

  subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "the caller compared index with count")
    return UInt8(bitPattern: start[index])
  }

  static func == (text: Self, other: StaticString) -> Bool {
    guard text.count == other.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where text[index] != other.utf8Start[index] { return false }
    return true
  }

  /// A copy of the bytes.
  var bytes: [UInt8] { (0..<count).map { self[$0] } }
}

/// The attributes of a start tag. They must not outlive the call that received them.
struct XMLAttributes {
  /// Names and values alternate; a null pointer ends them.
  fileprivate let first: UnsafeMutablePointer<UnsafePointer<XML_Char>?>

  subscript(name: StaticString) -> XMLText? {
    var next = first
    while let current = next[0], let value = next[1] {
      if XMLText(current) == name { return XMLText(value) }
      next += 2
    }
    return nil
  }
}
