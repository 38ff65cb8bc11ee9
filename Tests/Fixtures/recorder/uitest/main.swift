// Records the launch of the program that the first argument names until the mark of the second argument, and writes the
// attachment to the third. With a fourth argument, the program has ended before its mark is looked for, and there is no more
// time.
import Foundation
import XCTest

let words = CommandLine.arguments
XCUIApplication.program = words[1]
XCUIApplication.waits = words.count > 4
let test = XCTestCase()
do {
  try test.recordLaunch(
    of: XCUIApplication(), until: words[2], named: "100%", timeout: words.count > 4 ? 0 : 60)
  for attachment in test.attachments where attachment.lifetime == .keepAlways {
    print(attachment.name ?? "")
    try attachment.content.write(to: URL(fileURLWithPath: words[3]))
  }
} catch {
  print(error)
}
