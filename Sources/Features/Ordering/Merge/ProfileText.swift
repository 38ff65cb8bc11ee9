import Addresses
import ImageModel
import Rendering

/// The text report of a profile.
package struct ProfileText {
  private let document: ProfileDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width, in columns; `nil` shortens no name.
  package init(
    _ document: ProfileDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    var text = "profile \(printable(document.path)): \(document.summary)\n"
    for reason in document.incomplete { text += "\(reason.launches) \(reason.reason)\n" }
    let kept = document.wholeLaunches.count
    text += "\(counted(kept, "different launch", "different launches")) kept whole\n"
    for workload in document.workloads { text += workload.text + "\n" }
    for (index, image) in document.images.enumerated() { text += "\n" + rows(of: image, index) }
    return text
  }

  private func rows(of image: ProfileDocument.Image, _ index: Int) -> String {
    let id = image.id.map { " \($0)" } ?? " without ID"
    let functions = table(document.functions.filter { $0.image == index }, of: image.launches)
    let data = document.data.filter { $0.image == index }
    return "\(printable(image.path))\(id)\n\n\(functions)"
      + (data.isEmpty ? "" : "\ndata\n\n\(table(data, of: image.dataLaunches))")
  }

  private func table(_ functions: [ProfileDocument.Function], of launches: UInt64) -> String {
    var table = Table([
      .init("LAUNCHES"), .init("MEDIAN"), .init("FIRST MS"), .init("NAME", .left),
    ])
    for function in functions {
      let name = function.names.first.map(names) ?? hexadecimal(function.address.rawValue)
      table.add([
        "\(function.launches) of \(launches)", "\(function.medianPosition)",
        function.firstNanoseconds.map { Decimal.milliseconds(nanoseconds: Double($0)) } ?? "-",
        name,
      ])
    }
    return table.text(width: width)
  }
}

extension ProfileDocument {
  /// How many launches, images and functions the profile holds, in words.
  package var summary: String {
    let launched = counted(Int(clamping: launches), "launch", "launches")
    let used = counted(functions.count, "function")
    let touched = data.isEmpty ? "" : " and \(counted(data.count, "datum", "data"))"
    return "\(launched), \(used)\(touched) of \(counted(images.count, "build"))"
  }
}
