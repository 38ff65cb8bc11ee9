import ByteReading
import OrderFileFormat

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func read(_ text: String, _ dialect: OrderFileDialect) throws -> OrderFile {
  try dialect.read(FileBytes(bytes(text)))
}

/// The entry for function `name` in the section that compilers usually give it.
func entry(_ name: String) -> OrderFileEntry {
  OrderFileEntry(symbol: bytes(name), section: bytes(".text.\(name)"))
}

/// Names as compilers and assemblers make them, and some that try each dialect's syntax.
let oddNames = [
  "main", "_ZN3foo3barEv.isra.0", "$s4main3FooVACycfC", "_ZN4core3fmt9Formatter3pad17h0123456789E",
  "hidden.llvm.9137", "foo@@V1", "-[Foo bar:with:]", "+[Foo new]", "a b", "a#b", "a #b", "a*b",
  "a?b",
  "a[b", "a]b", "a[!b]", "[]", "[]]", "a[[]b", "a\\*b", "a{b};(c)", "a/*b*/", "a'b", "a=b", "a:b",
  "grüße", "KEEP", "SORT", "hot", "startup", ".",
]
