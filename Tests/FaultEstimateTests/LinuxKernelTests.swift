// Compares the fault model with the kernel of this machine: the same touches of a mapped file are simulated by the
// model and made in a process.

#if os(Linux)
  import Addresses
  import FaultEstimate
  import Foundation
  import ImageModel
  import TestSupport
  import Testing

  /// A program that touches pages of a mapping and asks the kernel what each touch cost.
  private let source = #"""
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/resource.h>
    #include <sys/stat.h>
    #include <unistd.h>
    static char kinds[1 << 16];
    static volatile char sink;
    static void counts(long *minor, long *major) {
      struct rusage usage;
      getrusage(RUSAGE_SELF, &usage);
      *minor = usage.ru_minflt;
      *major = usage.ru_majflt;
    }
    // touch FILE exec|read warm|cold FIRST-FILE-PAGE PAGES SHIFT PAGE...
    int main(int count, char **words) {
      long size = sysconf(_SC_PAGESIZE);
      int file = open(words[1], O_RDONLY);
      struct stat status;
      if (file < 0 || fstat(file, &status)) return 1;
      long filePages = (status.st_size + size - 1) / size;
      int warm = words[3][0] == 'w';
      long first = atol(words[4]), pages = atol(words[5]), shift = atol(words[6]);
      char *room = mmap(0, (pages + shift) * size + (64 << 20), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      // A multiple of what any page table and any window spans.
      room = (char *)(((unsigned long)room + (32 << 20) - 1) & -(32UL << 20));
      unsigned char *resident = malloc(filePages);
      char *whole = mmap(0, status.st_size, PROT_NONE, MAP_SHARED, file, 0), byte;
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
      if (warm) {
        posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);  // no page is marked
        for (long p = 0; p < filePages; p++)
          if (pread(file, &byte, 1, p * size) < 0) return 1;
      }
      if (mincore(whole, status.st_size, resident)) return 1;
      long before = 0;
      for (long p = 0; p < filePages; p++) before += resident[p] & 1;
      if (before != (warm ? filePages : 0)) return puts("cannot: the file system keeps it") < 0;
      close(file);
      file = open(words[1], O_RDONLY);  // a file that nobody read through yet
      char *map = mmap(room + shift * size, pages * size,
                       PROT_READ | (words[2][0] == 'e' ? PROT_EXEC : 0), MAP_PRIVATE | MAP_FIXED,
                       file, first * size);
      if (map == MAP_FAILED) return puts("cannot: no executable mappings") < 0;
      long minor, major, minorAfter, majorAfter;
      counts(&minor, &major);
      for (int i = 7; i < count; i++) kinds[i - 7] = '?';
      for (int i = 7; i < count; i++) {
        long page = atol(words[i]);
        counts(&minor, &major);
        sink = map[page * size];
        counts(&minorAfter, &majorAfter);
        kinds[i - 7] = majorAfter > major ? 'M' : minorAfter > minor ? 'm' : '-';
      }
      puts(kinds);
      mincore(whole, status.st_size, resident);
      for (long p = 0; p < filePages; p++)
        if (resident[p] & 1) printf("%ld ", p);
      return 0;
    }
    """#

  @Suite struct LinuxKernelTests {
    /// The settings of the kernel and of the device of the temporary folder.
    struct Machine {
      let kernel: LinuxKernel
      /// `false` if the folder is not on a block device.
      let hasReadAhead: Bool
      let pageBytes: UInt64
      /// `touch`, built.
      let tool: Tool
      let folder: TemporaryFolder

      init() throws {
        let compiler = try #require(Tool("clang"))
        folder = try TemporaryFolder()
        let file = try folder.write(Array(source.utf8), "touch.c")
        try compiler.run(["-O1", "-w", file, "-o", folder.path("touch")])
        tool = try #require(Tool(path: folder.path("touch")))
        pageBytes = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        var status = stat()
        try #require(stat(folder.path("touch"), &status) == 0)
        let device = "/sys/dev/block/\(status.st_dev >> 8 & 0xfff):\(status.st_dev & 0xff)"
        let settings = ["\(device)/queue/read_ahead_kb", "\(device)/../queue/read_ahead_kb"]
        let text = settings.lazy.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
          .first
        let kibibytes = text.flatMap { UInt64($0.filter(\.isNumber)) }
        hasReadAhead = kibibytes != nil
        var kernel = LinuxKernel()
        kernel.readAheadBytes = (kibibytes ?? 0) << 10
        kernel.readAhead = Self.release >= (6, 16) ? .forward : .around
        #if arch(arm64)
          if Self.release >= (6, 16) { kernel.executableUnitBytes = 64 << 10 }
        #endif
        kernel.largestFolioBytes = Self.release >= (6, 16) ? 2 << 20 : 0
        self.kernel = kernel
      }

      static var release: (Int, Int) {
        var name = utsname()
        uname(&name)
        let text = withUnsafeBytes(of: &name.release) { String(decoding: $0, as: UTF8.self) }
        let numbers = text.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 0)
      }
    }

    struct Case: CustomTestStringConvertible, Sendable {
      var testDescription: String
      var isExecutable = true
      var isWarm: Bool
      /// The first page of the file that is mapped.
      var firstFilePage: UInt64 = 0
      var pages: UInt64
      /// The distance, in pages, from an address at which a page table begins to the start of the mapping.
      var shift: UInt64 = 0
      /// How many of the pages are touched.
      var touches: Int
      var filePages: UInt64
    }

    static let cases: [Case] = [
      Case(
        testDescription: "warm, aligned", isWarm: true, pages: 600, touches: 80, filePages: 600),
      Case(
        testDescription: "warm, from within a window", isWarm: true, firstFilePage: 7, pages: 590,
        shift: 5, touches: 80, filePages: 600),
      Case(
        testDescription: "warm, from the end of a page table", isWarm: true, firstFilePage: 1,
        pages: 300, shift: 507, touches: 60, filePages: 400),
      Case(
        testDescription: "warm, beyond the end of the file", isWarm: true, firstFilePage: 10,
        pages: 90, shift: 3, touches: 30, filePages: 100),
      Case(
        testDescription: "cold, scattered", isWarm: false, firstFilePage: 5, pages: 20_000,
        shift: 9, touches: 60, filePages: 20_010),
      Case(
        testDescription: "cold, dense", isWarm: false, firstFilePage: 1, pages: 3000, shift: 1,
        touches: 400, filePages: 4000),
      Case(
        testDescription: "cold, not executable", isExecutable: false, isWarm: false,
        firstFilePage: 5, pages: 20_000, shift: 9, touches: 60, filePages: 20_010),
    ]

    @Test(.needs("clang"), arguments: cases.filter(\.isWarm))
    func playsWhatTheKernelDoesWithAFileInMemory(_ test: Case) throws { try check(test) }

    @Test(.needs("clang", .readAhead), arguments: cases.filter { !$0.isWarm })
    func playsWhatTheKernelDoesWithAFileOnADisk(_ test: Case) throws { try check(test) }

    private func check(_ test: Case) throws {
      let machine = try Machine()
      var random = SeededRandom(seed: 51)
      let touches = (0..<test.touches).map { _ in UInt64.random(in: 0..<test.pages, using: &random)
      }
      let file = try machine.folder.write([], "file")
      try #require(truncate(file, Int(test.filePages * machine.pageBytes)) == 0)
      let words =
        [
          file, test.isExecutable ? "exec" : "read", test.isWarm ? "warm" : "cold",
          "\(test.firstFilePage)", "\(test.pages)", "\(test.shift)",
        ] + touches.map(String.init)
      var kernel = machine.kernel
      if !test.isExecutable { kernel.readAhead = .around }
      let pageSize = try #require(PageSize(bytes: machine.pageBytes))
      var model = LinuxFaultModel(
        kernel, pageSize: pageSize, fileBytes: test.filePages * machine.pageBytes,
        isWarm: test.isWarm)
      let mapping = LinuxMapping(
        pages: LoadedPage(rawValue: test.shift)..<LoadedPage(rawValue: test.shift + test.pages),
        firstFilePage: FilePage(rawValue: test.firstFilePage))
      let faults = touches.map { page -> String in
        switch model.touch(LoadedPage(rawValue: page + test.shift), in: mapping) {
        case .major: "M"
        case .minor: "m"
        case nil: "-"
        }
      }
      let played = Played(
        faults: faults.joined(), pagesInMemory: test.isWarm ? [] : model.pagesInMemory.sorted())
      // If other processes use the same memory and disk, the kernel may read a page more or less than it would
      // otherwise. So the test is repeated: a wrong model is wrong each time.
      var found: [Played] = []
      while found.last != played, found.count < 5 {
        found.append(try Played(machine.tool.run(words), isWarm: test.isWarm))
      }
      #expect(found.last == played)
    }

    /// The faults of a sequence of touches, and the pages that are in memory afterwards if none was before.
    private struct Played: Equatable {
      var faults: String
      var pagesInMemory: [FilePage]

      init(faults: String, pagesInMemory: [FilePage]) {
        self.faults = faults
        self.pagesInMemory = pagesInMemory
      }

      init(_ output: String, isWarm: Bool) throws {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count >= 2, "\(output)")
        faults = String(lines[0])
        pagesInMemory =
          isWarm
          ? []
          : lines[1].split(separator: " ").compactMap { UInt64($0).map(FilePage.init(rawValue:)) }
      }
    }
  }

  extension Requirement {
    fileprivate static let readAhead = Requirement(
      "a temporary folder on a block device that reads ahead",
      excuse: "it may be memory, and containers hide the device"
    ) {
      DiskFolder.path == FileManager.default.temporaryDirectory.path
        && (try? LinuxKernelTests.Machine())?.hasReadAhead ?? false
    }
  }
#endif
