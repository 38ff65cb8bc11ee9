// Records the launch of the program that the first argument names until the mark of the second argument, and writes the
// attachment to the third.
import Foundation
import XCTest

let words = CommandLine.arguments
XCUIApplication.program = words[1]
let test = XCTestCase()
do {
  try test.recordLaunch(of: XCUIApplication(), until: words[2], named: "100%", timeout: 2)
  for attachment in test.attachments where attachment.lifetime == .keepAlways {
    print(attachment.name ?? "")
    try attachment.content.write(to: URL(fileURLWithPath: words[3]))
  }
} catch {
  print(error)
}
