// The part of XCTest's interface that Examples/iOSApp/UITests uses, as Apple documents it. An "app" is a program of this
// machine. The real interface is only in Xcode.
import Foundation

@MainActor open class XCUIApplication {
  nonisolated(unsafe) public static var program = ""
  /// Whether a launch returns only when the program has ended.
  nonisolated(unsafe) public static var waits = false
  public var launchEnvironment: [String: String] = [:]
  public init() {}
  public func launch() {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.environment = launchEnvironment
    guard (try? process.run()) != nil else { return }
    if Self.waits { process.waitUntilExit() }
  }
}

open class XCTAttachment {
  public enum Lifetime { case keepAlways, deleteOnSuccess }
  public var name: String?
  public var lifetime = Lifetime.deleteOnSuccess
  public let content: Data
  public init(contentsOfFile url: URL) { content = (try? Data(contentsOf: url)) ?? Data() }
  public init(string: String) { content = Data(string.utf8) }
}

open class XCTestCase {
  public var attachments: [XCTAttachment] = []
  public init() {}
  public func add(_ attachment: XCTAttachment) { attachments.append(attachment) }
}
