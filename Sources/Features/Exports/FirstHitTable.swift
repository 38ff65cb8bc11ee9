import Addresses
import ImageModel
import Rendering

/// The first hits of launches as a table with a row for each hit.
package struct FirstHitTable {
  private let launches: [ExportedLaunch]
  private let pageSize: PageSize
  private let wording: NameWording

  /// - Parameter wording: how names are shown to people.
  package init(
    _ launches: [ExportedLaunch], pageSize: PageSize, wording: @escaping NameWording
  ) {
    self.launches = launches
    self.pageSize = pageSize
    self.wording = wording
  }

  private static let columns = [
    "trace", "process", "step", "nanoseconds", "thread", "image", "address", "page", "sizeBytes",
    "symbol", "name", "ran", "owner", "predictedPages",
  ]

  /// Passes the bytes of the table to `sink`, piece by piece.
  package func write(to sink: ([UInt8]) -> Void) {
    sink(Array(commaSeparated(Self.columns).utf8))
    for launch in launches {
      var rows = ""
      for (index, hit) in launch.hits.enumerated() {
        rows += commaSeparated(row(of: hit, index, launch))
        if rows.utf8.count > 1 << 20 {
          sink(Array(rows.utf8))
          rows = ""
        }
      }
      sink(Array(rows.utf8))
    }
  }

  /// Returns the row of a hit. Unknown values are empty. `symbol` is the name in the file. `ran` is the name of the
  /// body that ran, if that is another function.
  private func row(
    of hit: ExportedLaunch.Hit, _ index: Int, _ launch: ExportedLaunch
  ) -> [String] {
    func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "" }
    return [
      launch.path, text(launch.process), text(hit.step), text(hit.nanoseconds), text(hit.thread),
      launch.images[hit.image].path, text(hit.address),
      text(hit.address.map { pageSize.start(of: pageSize.page(of: $0)) }), text(hit.sizeBytes),
      text(hit.names.first), hit.names.first.map(wording) ?? "",
      hit.names.count > 1 ? hit.names[1].description : "", text(hit.owner),
      text(launch.prediction?.pages[index]),
    ]
  }
}
