// The output of `xctrace export --xpath …`: XML with one `<node>` for each table, which contains a `<schema>`
// and the `<row>`s. A row has one element for each column, named after the column's type, or `<sentinel/>`.
//
//   <trace-query-result>
//   <node xpath='//trace-toc[1]/run[1]/data[1]/table[13]'><schema name="time-profile">…</schema>
//   <row><sample-time id="1" fmt="00:00.254.775">254775333</sample-time>
//     <thread id="2" fmt="Main Thread 0x12aa (App, pid: 581)"><tid id="3">4778</tid>
//       <process id="4" fmt="App (581)"><pid id="5" fmt="581">581</pid></process></thread>
//     <process ref="4"/> …
//     <backtrace id="11"><frame id="12" name="main" addr="0x102fe8a01"><binary id="13" name="App"
//       UUID="AB…" arch="arm64" load-addr="0x102fe4000" path="/…/App"/></frame> …</backtrace></row>
//
// An element that was written once is referenced afterwards, `<process ref="4"/>`. This applies to cells, but
// also to frames in backtraces and to binaries in frames. In tables with tagged backtraces, a `<backtrace>`,
// or in some versions its frames, are inside a `<tagged-backtrace>`.
//
// The format is not documented. This is what public exports of Xcode 13 to 26 have in common.

import Addresses
import ByteReading

/// An export, read in one pass: its rows are passed on one by one and not kept; its values are kept.
package final class XctraceExport {
  /// The supported tables that the export contains.
  package internal(set) var tables: Set<XctraceTable> = []
  /// The names of the other schemas, each once, in the order of the file.
  package internal(set) var otherTables: [[UInt8]] = []
  let values = XctraceValues()

  package init() {}

  /// Reads `bytes` and calls `body` with each row of the supported tables.
  ///
  /// Memory use grows with the values that the export defines, each counted once, and not with its rows.
  ///
  /// - Throws: `missing` if the document ends too early, or if this is not an export; `invalid` if it is not
  ///   XML, and for an invalid number, id or reference.
  /// - Complexity: O(*n*) for *n* bytes.
  package func read(
    _ bytes: FileBytes, _ body: @escaping (XctraceRow) -> Void
  ) throws(ParseError) {
    try XctraceReader(self, body).read(bytes)
  }

  /// The images of all processes, in the order of their first mention.
  package var binaries: [XctraceBinary] { values.binaries }

  /// The frames of a row's stack, from the function that ran to the function where its thread began.
  package func frames(ofStack number: Int) -> [XctraceFrame] {
    values.stack(number).map { values.frames[Int($0)] }
  }
}
