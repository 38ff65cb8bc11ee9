import ByteReading
import ImageModel
import LinkMapFormat
extension Layout {
  package static func reading(linkMap: FileBytes, path: String) throws(Diagnostic) -> (Layout, [Diagnostic]) { throw Diagnostic("tmp") }
}
extension LinkMap {
  package static func linker(of bytes: FileBytes) -> Linker? { nil }
}
