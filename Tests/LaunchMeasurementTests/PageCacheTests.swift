import Foundation
import LaunchMeasurement
import TestSupport
import Testing

/// Evicts pages of real files from the page cache. This needs no root, but a file system on a device.
@Suite(.needs(.disk))
struct PageCacheTests {
  static func file(_ size: Int) throws -> String {
    let path = "\(try #require(DiskFolder.path))/orderfile-pages-\(UUID().uuidString)"
    try Data(repeating: 0x5a, count: size).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The file was just written, so all of its pages are in memory and dirty.
  @Test(arguments: [1, 4096, 4097, 1_000_003]) func evictedFilesHaveNoPageLeft(size: Int) throws {
    let path = try Self.file(size)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
    let before = try PageCache.residency(of: path)
    let pages = (UInt64(size) + page - 1) / page
    #expect(before == PageCache.Residency(resident: pages, pages: pages))
    try PageCache.evict([path])
    #expect(try PageCache.residency(of: path).resident == 0)
    #expect(FileManager.default.contents(atPath: path)?.count == size)
    #expect(try PageCache.residency(of: path).resident == pages, "it was read again")
  }

  @Test func emptyFilesHaveNoPages() throws {
    let path = try Self.file(0)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try PageCache.evict([path])
    #expect(try PageCache.residency(of: path) == PageCache.Residency(resident: 0, pages: 0))
  }

  @Test func aMappedFileIsNotSaidToBeCold() throws {
    let path = try Self.file(40_000)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    let mapping = mmap(nil, 40_000, PROT_READ, MAP_SHARED, descriptor, 0)
    let first = mapping?.load(as: UInt8.self)
    #expect(first == 0x5a)
    #expect {
      try PageCache.evict([path])
    } throws: { error in
      "\(error)".contains("unable to evict the image: expected 0 of its 10 pages in memory, found")
        && "\(error)".contains("hint: a process that maps the image keeps it in memory")
    }
    munmap(mapping, 40_000)
    try PageCache.evict([path])
  }

  @Test(.needs(.sharedMemory))
  func memoryIsNeverCold() throws {
    let path = "/dev/shm/orderfile-\(UUID().uuidString)"
    try Data(count: 10).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect {
      try PageCache.evict([path])
    } throws: {
      "\($0)".contains("unable to launch this image cold: it is on an in-memory file system")
    }
  }

  @Test func missingFilesAreNamed() {
    #expect {
      try PageCache.evict(["/nowhere/app"])
    } throws: {
      "\($0)" == "/nowhere/app: unable to evict the image: No such file or directory"
    }
  }
}
