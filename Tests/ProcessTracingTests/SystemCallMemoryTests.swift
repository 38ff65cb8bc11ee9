#if os(Linux) && arch(x86_64)
  import CPageTrace
  import Glibc
  import Testing

  /// <arch/x86/entry/syscalls/syscall_64.tbl> of Linux; Swift does not see `<sys/syscall.h>`.
  private enum Call {
    static let chdir: Int32 = 80
    static let epollWait: Int32 = 232
    static let execve: Int32 = 59
    static let fstat: Int32 = 5
    static let mmap: Int32 = 9
    static let nanosleep: Int32 = 35
    static let openat: Int32 = 257
    static let pipe: Int32 = 22
    static let poll: Int32 = 7
    static let read: Int32 = 0
    static let readv: Int32 = 19
    static let recvmsg: Int32 = 47
    static let rename: Int32 = 82
    static let sendmsg: Int32 = 46
    static let sendto: Int32 = 44
    static let uname: Int32 = 63
    static let unlink: Int32 = 87
    static let write: Int32 = 1
    static let writev: Int32 = 20
  }

  /// Tests which memory a system call uses. The memory is simulated: only a few bytes have values.
  @Suite struct SystemCallMemoryTests {
    /// The bytes at some addresses. All other memory can't be read.
    private final class Memory {
      var bytes: [UInt64: UInt8] = [:]
      var used: [String] = []
      var reads = 0
      var knowledge = ORDERFILE_CALL_KNOWN

      func put(_ contents: [UInt8], at address: UInt64) {
        for (offset, byte) in contents.enumerated() { bytes[address &+ UInt64(offset)] = byte }
      }

      func put(words: [UInt64], at address: UInt64) {
        put(
          words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } },
          at: address)
      }

      /// Ranges as `address+size`, in hexadecimal and decimal, in their order.
      func used(by number: Int32, _ arguments: UInt64...) -> [String] {
        used = []
        let all = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
        var access = orderfile_call_memory(
          context: Unmanaged.passUnretained(self).toOpaque(),
          use: { context, address, size in
            Memory.of(context).used.append("\(String(address, radix: 16))+\(size)")
          },
          read: { context, address, target, size in
            let memory = Memory.of(context)
            memory.reads += 1
            for offset in 0..<size {
              guard let byte = memory.bytes[address &+ offset] else { return false }
              target?.storeBytes(of: byte, toByteOffset: Int(offset), as: UInt8.self)
            }
            return true
          })
        knowledge = orderfile_call_memory_used(Int64(number), all, &access)
        return used
      }

      private static func of(_ context: UnsafeMutableRawPointer?) -> Memory {
        guard let context else { preconditionFailure("the context is the memory") }
        return Unmanaged<Memory>.fromOpaque(context).takeUnretainedValue()
      }
    }

    @Test func buffersAreAsLongAsTheNextArgumentSays() {
      let memory = Memory()
      #expect(memory.used(by: Call.read, 3, 0x1000, 77) == ["1000+77"])
      #expect(memory.used(by: Call.write, 3, 0x1000, 0) == [], "nothing of it")
      #expect(memory.used(by: Call.write, 3, 0, 77) == [], "no memory")
      #expect(memory.used(by: Call.read, 3, 0x1000, .max) == ["1000+\(UInt64.max)"])
      #expect(memory.used(by: Call.sendto, 3, 0x1000, 5, 0, 0x2000, 16) == ["1000+5", "2000+16"])
    }

    @Test func aStringIsUsedByThePageToItsNull() {
      let memory = Memory()
      memory.put(Array("name\0".utf8), at: 0x1000)
      #expect(memory.used(by: Call.openat, 3, 0x1000, 0, 0) == ["1000+1"])
      memory.put([UInt8](repeating: 7, count: 5000) + [0], at: 0x2ffe)
      #expect(memory.used(by: Call.unlink, 0x2ffe) == ["2ffe+1", "3000+1", "4000+1"])
      #expect(memory.used(by: Call.rename, 0x1000, 0x1002) == ["1000+1", "1002+1"])
      #expect(memory.used(by: Call.chdir, 0x9000) == ["9000+1"], "what can't be read ends it")
    }

    @Test func aStringAtTheEndOfMemoryEnds() {
      let memory = Memory()
      memory.put([1, 1], at: UInt64.max - 1)
      #expect(
        memory.used(by: Call.chdir, UInt64.max - 1) == [
          "\(String(UInt64.max - 1, radix: 16))+1", "0+1",
        ])
    }

    @Test func vectorsAreFollowed() {
      let memory = Memory()
      memory.put(words: [0x5000, 10, 0x6000, 0, 0x7000, 30], at: 0x1000)
      #expect(
        memory.used(by: Call.writev, 1, 0x1000, 3) == [
          "1000+16", "5000+10", "1010+16", "1020+16", "7000+30",
        ])
      #expect(
        memory.used(by: Call.readv, 1, 0x1000, 4).suffix(2) == ["7000+30", "1030+16"],
        "then none is there")
      #expect(memory.used(by: Call.readv, 1, 0x1000, 0) == [])
    }

    @Test func noMoreVectorsAreReadThanTheKernelTakes() {
      let memory = Memory()
      memory.put(words: [UInt64](repeating: 0, count: 4096), at: 0x10000)
      #expect(memory.used(by: Call.writev, 1, 0x10000, .max).count == 1024)
      #expect(memory.reads == 1024)
    }

    @Test func aMessageHasANameVectorsAndControl() {
      let memory = Memory()
      memory.put(words: [0x5000, 16 | 0xdead << 32, 0x2000, 1, 0x6000, 24, 0], at: 0x1000)
      memory.put(words: [0x7000, 9], at: 0x2000)
      #expect(
        memory.used(by: Call.sendmsg, 3, 0x1000, 0) == [
          "1000+56", "5000+16", "2000+16", "7000+9", "6000+24",
        ])
      memory.put(words: [0, 16, 0, 0, 0, 24, 0], at: 0x1000)
      #expect(memory.used(by: Call.recvmsg, 3, 0x1000, 0) == ["1000+56"])
      #expect(memory.used(by: Call.recvmsg, 3, 0x8000, 0) == ["8000+56"])
    }

    @Test func argumentsOfAProgramAreStrings() {
      let memory = Memory()
      memory.put(Array("a\0bc\0".utf8), at: 0x1000)
      memory.put(words: [0x1000, 0x1002, 0], at: 0x2000)
      #expect(
        memory.used(by: Call.execve, 0x1000, 0x2000, 0) == [
          "1000+1", "2000+8", "1000+1", "2008+8", "1002+1", "2010+8",
        ])
    }

    @Test func objectsHaveTheSizesOfTheManual() {
      let memory = Memory()
      #expect(memory.used(by: Call.fstat, 3, 0x1000) == ["1000+\(MemoryLayout<stat>.size)"])
      #expect(memory.used(by: Call.uname, 0x1000) == ["1000+\(MemoryLayout<utsname>.size)"])
      #expect(memory.used(by: Call.nanosleep, 0x1000, 0x2000) == ["1000+16", "2000+16"])
      #expect(memory.used(by: Call.poll, 0x1000, 3) == ["1000+\(3 * MemoryLayout<pollfd>.size)"])
      #expect(memory.used(by: Call.epollWait, 3, 0x1000, 2) == ["1000+24"])
      #expect(memory.used(by: Call.pipe, 0x1000) == ["1000+8"])
    }

    @Test func numbersThatLookLikeAddressesAreNoMemory() {
      let memory = Memory()
      #expect(memory.used(by: 77, 3, 0x405000) == [], "ftruncate")
      #expect(memory.used(by: 285, 3, 1, 0x405000, 0x406000) == [], "fallocate")
      #expect(memory.used(by: 233, 3, 2, 4, 0x5000) == [], "epoll_ctl that removes")
      #expect(memory.used(by: 56, 17, 0x5000, 0x6000, 0x7000) == [], "clone that stores no numbers")
    }

    @Test func theMemoryOfEveryCallIsListed() {
      let memory = Memory()
      // Calls that Linux 6.18 no longer has, or that only system administration needs.
      let others: Set<Int32> = [
        134, 139, 156, 169, 174, 177, 178, 179, 180, 181, 182, 183, 184, 185, 212, 214, 215, 236,
        246,
        250, 321, 443,
      ]
      for number in Array(0...334) + Array(424...469) where !others.contains(Int32(number)) {
        _ = memory.used(by: Int32(number))
        #expect(
          memory.knowledge != ORDERFILE_CALL_UNKNOWN || [16, 72, 157].contains(number), "\(number)")
      }
    }

    @Test func ofACallThatIsNotListedEachArgumentMayBeAnAddress() {
      let memory = Memory()
      #expect(
        memory.used(by: 100_000, 1, 2, 3, 4, 5, 6) == ["1+1", "2+1", "3+1", "4+1", "5+1", "6+1"])
      #expect(memory.used(by: -1, 0, 0x1000) == ["1000+1"])
      #expect(memory.used(by: Call.mmap, 0x1000, 1, 1, 1, 1, 1) == [], "none of these is used")
    }
  }
#endif
