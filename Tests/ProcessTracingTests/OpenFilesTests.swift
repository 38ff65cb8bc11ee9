import Foundation
import ProcessTracing
import TestSupport
import Testing

/// Descriptors for many files, only a few of which are open at a time.
@Suite struct OpenFilesTests {
  private final class Owner {}

  private func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

  @Test func onlyAFewAreOpenAtOnce() throws {
    let files = OpenFiles(limit: 3)
    let owners = (0..<10).map { _ in Owner() }
    var opened = 0
    func descriptor(_ index: Int) -> Int32 {
      files.descriptor(of: owners[index]) {
        opened += 1
        return open("/dev/null", O_RDONLY | O_CLOEXEC)
      }
    }
    let descriptors = owners.indices.map(descriptor)
    #expect(descriptors.allSatisfy { $0 >= 0 } && opened == 10)
    #expect(descriptor(9) == descriptors[9] && opened == 10, "one that is open stays the same")
    _ = descriptor(0)
    #expect(opened == 11, "one that was closed is opened again")
    let last = descriptor(8)
    files.close(of: owners[8])
    #expect(!isOpen(last) || descriptor(9) == last)
  }

  @Test func oneThatCannotBeOpenedIsTriedAgain() {
    let files = OpenFiles()
    let owner = Owner()
    #expect(files.descriptor(of: owner) { open("/nowhere", O_RDONLY) } == -1 && errno == ENOENT)
    #expect(files.descriptor(of: owner) { open("/dev/null", O_RDONLY) } >= 0)
  }

  /// Other code in the process may need descriptors, too.
  @Test func whenThereIsNoDescriptorAnotherFileIsClosed() {
    let files = OpenFiles(limit: 10)
    let owners = (0..<4).map { _ in Owner() }
    for owner in owners.prefix(3) {
      _ = files.descriptor(of: owner) { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }
    var tries = 0
    let descriptor = files.descriptor(of: owners[3]) {
      tries += 1
      if tries < 3 {
        errno = EMFILE
        return -1
      }
      return open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
    #expect(descriptor >= 0 && tries == 3)
    tries = 0
    #expect(files.descriptor(of: owners[2]) { -1 } >= 0, "the latest are still open")
  }
}
