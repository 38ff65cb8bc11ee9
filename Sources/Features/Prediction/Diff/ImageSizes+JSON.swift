import ImageModel
import JSON
import Rendering

extension ImageSizes: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("fileBytes", \.fileBytes), countMember("sections", \.sections),
    member("codeBytes", \.codeBytes), member("unwindBytes", \.unwindBytes),
    member("symbolTableBytes", \.symbolTableBytes), countMember("symbols", \.symbols))
}
