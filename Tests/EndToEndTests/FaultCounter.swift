import Foundation
import TestSupport
import Testing

/// A program that launches another and counts the page faults on its code, as the kernel samples them.
enum FaultCounter {
  /// `faults IMAGE ARGS...`, IMAGE by its real path; reads IMAGE into memory page by page, because Linux 6.18
  /// maps as a whole what a linker or cp left in memory as one large folio; launches it; prints the faults on IMAGE's executable mapping. Exit
  /// status 9: the kernel lets nobody count.
  static let source = #"""
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <linux/perf_event.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>
    struct record { struct perf_event_header header; uint32_t pid, tid; uint64_t address; };
    struct mapping { struct record begin; uint64_t size, offset; char path[]; };
    struct sample { struct perf_event_header header; uint64_t address; };
    int main(int count, char **words) {
      int ready[2];
      if (count < 2 || pipe(ready)) return 1;
      int file = open(words[1], O_RDONLY);
      fsync(file);
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
      posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
      char byte;
      for (off_t at = 0; pread(file, &byte, 1, at) == 1; at += sysconf(_SC_PAGESIZE)) {}
      close(file);
      pid_t child = fork();
      if (!child) {
        char byte;
        close(ready[1]);
        if (read(ready[0], &byte, 1) != 1) _exit(1);
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        execv(words[1], words + 1);
        _exit(1);
      }
      struct perf_event_attr how = {
          .type = PERF_TYPE_SOFTWARE, .size = sizeof how, .config = PERF_COUNT_SW_PAGE_FAULTS,
          .sample_period = 1, .sample_type = PERF_SAMPLE_ADDR, .disabled = 1, .enable_on_exec = 1,
          .exclude_kernel = 1, .mmap = 1};
      int event = syscall(SYS_perf_event_open, &how, child, -1, -1, 0);
      long page = sysconf(_SC_PAGESIZE), room = 256 * page;
      char *buffer = event < 0 ? MAP_FAILED
                               : mmap(0, page + room, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
      if (buffer == MAP_FAILED) {
        close(ready[1]);
        waitpid(child, 0, 0);
        return 9;
      }
      if (write(ready[1], "", 1) != 1) return 1;
      waitpid(child, 0, 0);
      struct perf_event_mmap_page *head = (void *)buffer;
      uint64_t start = 0, end = 0, faults = 0;
      for (uint64_t at = 0; at < head->data_head;) {
        static char copy[1 << 16];
        struct perf_event_header *header = (void *)copy;
        for (int i = 0; i < (int)sizeof *header; i++) copy[i] = buffer[page + (at + i) % room];
        for (int i = 0; i < header->size; i++) copy[i] = buffer[page + (at + i) % room];
        at += header->size;
        if (header->type == PERF_RECORD_LOST) return 2;
        if (header->type == PERF_RECORD_MMAP) {
          struct mapping *map = (void *)copy;
          if (!strcmp(map->path, words[1])) {
            start = map->begin.address;
            end = start + map->size;
          }
        } else if (header->type == PERF_RECORD_SAMPLE) {
          uint64_t address = ((struct sample *)copy)->address;
          faults += address >= start && address < end;
        }
      }
      printf("%lu %lx\n", (unsigned long)faults, (unsigned long)start);
      return 0;
    }
    """#

  private static let refuser = """
    #include <errno.h>
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <stddef.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int main(int n, char **v) {
      struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
      struct sock_fprog program = {sizeof code / sizeof *code, code};
      if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 9;
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 9;
      execv(v[1], v + 1);
      return 9;
    }
    """

  /// Makes the program `refuser`, which executes its arguments with a filter like that of a container: it refuses
  /// perf_event_open.
  static func buildRefuser(in workshop: Workshop) throws {
    try workshop.write(refuser.utf8, "refuser.c")
    try workshop.must("clang", ["refuser.c", "-o", "refuser"])
  }

  /// Whether the kernel lets this user count.
  static let isPermitted: Bool = {
    guard let workshop = try? Workshop(), (try? build(in: workshop)) != nil,
      let run = try? workshop.start("./faults", ["/usr/bin/true"]).end()
    else { return false }
    return run.status == 0
  }()

  /// Makes the program `faults`.
  static func build(in workshop: Workshop) throws {
    try workshop.write(source.utf8, "faults.c")
    try workshop.must("clang", ["-O1", "faults.c", "-o", "faults"])
  }
}

extension Requirement {
  static let faultEvents = Requirement(
    "perf_event_open for page faults", excuse: "containers refuse it"
  ) { FaultCounter.isPermitted }

  static let instructionCounter = Requirement(
    "a processor that counts instructions", excuse: "virtual machines hide it"
  ) {
    let devices =
      (try? FileManager.default.contentsOfDirectory(atPath: "/sys/bus/event_source/devices"))
    return FaultCounter.isPermitted
      && devices?.contains { $0.hasPrefix("cpu") || $0.hasPrefix("armv8") } ?? false
  }
}
