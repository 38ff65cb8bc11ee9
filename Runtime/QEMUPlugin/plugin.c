/* The plugin: a library that `orderfile record --qemu` loads into QEMU's user-mode emulator.
 *
 * Idea. QEMU translates code when it is about to run for the first time: straight from one instruction to the next
 * jump. So what is translated is what runs, and the order of translations is the order of first executions. Each
 * translation costs a call of this library, and nothing afterwards. No instruction of the program changes.
 *
 * A translation may contain code that an earlier translation has: after a jump into the middle of it, if another thread
 * translates at the same time, or if QEMU has thrown its translations away, as it does when a second thread begins. So
 * each instruction counts once, and what is noted is a run of instructions without a gap that were not translated
 * before.
 *
 * A forked child inherits the translations, and a copy of what is known here: its trace contains what its parent had
 * not executed. QEMU makes a fork of vfork, too. A program that the process executes runs outside of QEMU; the kernel
 * may be set up to call QEMU again, but without this library. So the trace names the executed program.
 *
 * What it leaves out. If an instruction raises a signal, the instructions after it in the same translation count as
 * executed. Code that a program generates, or itself reads into memory, is not recorded. Marks are not recorded: their
 * names are in registers, which QEMU shows only from version 9 on.
 *
 * Locks. QEMU translates under its lock of the program's mappings, which it holds around fork, too. So the lock of this
 * library is always the inner one. Nothing here runs in a signal handler: there QEMU only notes the signal. */
#if defined(__linux__)
#define _GNU_SOURCE
#include "orderfile_qemu_plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <of_attributes.h>
#include <orderfile_trace_format.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest_calls.h"
#include "guest_images.h"
#include "qemu.h"
#include "trace_writer.h"

/* QEMU reads this variable after it has loaded the library, and refuses a version that it does not support. */
int qemu_plugin_version = OF_QEMU_7;

__attribute__((constructor)) static void of_choose_version(void) {
  if (dlsym(RTLD_DEFAULT, OF_ONLY_QEMU_9)) qemu_plugin_version = OF_QEMU_9;
}

static pthread_mutex_t of_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct of_guest *of_guest;
static uint64_t of_to_host; /* the distance from the program's addresses to QEMU's */
static bool of_has_failed;  /* a trace could not be made: not tried again in this process */

OF_LOCAL uint32_t of_thread(void) { return (uint32_t)syscall(SYS_gettid); }

OF_LOCAL void of_image_is_gone(const struct of_guest_image *image) {
  if (image->number && of_trace_is_open()) {
    of_trace_add(ORDERFILE_RECORD_UNLOAD, image->number, 0, 0, 0, NULL, 0);
  }
}

/* Whether records can be added; the trace of a child begins with its first record. */
OF_LOCAL bool of_is_recording(void) {
  if (of_trace_was_ended() || of_has_failed) return false;
  if (of_trace_is_open()) return true;
  of_has_failed = of_trace_begin() != 0;
  return !of_has_failed;
}

OF_LOCAL void of_mention(struct of_guest_image *image) {
  static struct {
    orderfile_trace_image image;
    uint8_t text[sizeof image->id + sizeof image->path]; /* the ID and the path of the image */
  } content;
  size_t size = strlen(image->path);
  content.image = (orderfile_trace_image){
      .slide = image->slide,
      .text_start = image->start,
      .text_size = image->end - image->start,
      .id_kind = image->id_kind,
      .id_size = image->id_size,
      .path_size = (uint32_t)size,
  };
  memcpy(content.text, image->id, image->id_size);
  memcpy(content.text + image->id_size, image->path, size);
  size += image->id_size;
  image->number = of_trace_next_image();
  of_trace_add(ORDERFILE_RECORD_LOAD, image->number, sizeof content.image + size, 0, 0, &content,
               sizeof content.image + size);
}

/* Records that the instructions in SIZE bytes at ADDRESS are executed for the first time. */
OF_LOCAL void of_add_run(struct of_guest_image *image, uint64_t address, uint64_t size) {
  if (size == 0) return;
  if (!of_is_recording()) {
    if (of_has_failed) of_trace_lose();
    return;
  }
  if (!image->number) of_mention(image);
  of_trace_add(ORDERFILE_RECORD_BLOCK, 0, size, address, of_thread(), NULL, 0);
}

OF_LOCAL void of_translated(uint64_t id, struct qemu_plugin_tb *block) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(block);
  pthread_mutex_lock(&of_lock);
  if (of_trace_was_ended()) count = 0;
  if (count && !of_images_refresh(of_image_is_gone)) {
    of_trace_lose();
    count = 0;
  }
  struct of_guest_image *image = NULL;
  uint64_t start = 0, size = 0; /* the start and the size of the present run */
  for (size_t i = 0; i < count; i++) {
    const struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
    uint64_t address = qemu_plugin_insn_vaddr(instruction);
    const void *host = qemu_plugin_insn_haddr(instruction);
    if (!host) continue;
    of_to_host = (uint64_t)host - address;
    struct of_guest_image *holder = of_image_at(address, host);
    bool is_new = holder && of_image_see(holder, address);
    if (!is_new || holder != image || address != start + size) {
      of_add_run(image, start, size);
      image = holder;
      start = address;
      size = 0;
    }
    if (is_new) size += qemu_plugin_insn_size(instruction);
  }
  of_add_run(image, start, size);
  pthread_mutex_unlock(&of_lock);
}

/* Copies the text at ADDRESS of the program. Returns false if there is no such text. */
OF_LOCAL bool of_read_text(uint64_t address, char text[PATH_MAX]) {
  for (size_t size = 0; size < PATH_MAX;) {
    uint64_t from = address + of_to_host + size;
    size_t count = 256 - from % 256; /* each piece ends at the latest at the end of a page */
    if (count > PATH_MAX - size) count = PATH_MAX - size;
    struct iovec here = {text + size, count}, there = {(void *)from, count};
    if (process_vm_readv((pid_t)of_thread(), &here, 1, &there, 1, 0) != (ssize_t)count) return false;
    if (memchr(text + size, 0, count)) return true;
    size += count;
  }
  return false;
}

/* Records that the program is about to execute the file whose path is at ADDRESS, in FOLDER, if that can succeed. */
OF_LOCAL void of_executes(int folder, uint64_t address) {
  static char text[PATH_MAX];
  pthread_mutex_lock(&of_lock);
  struct stat status;
  if (of_read_text(address, text)) {
    if (!*text) { /* without a path, the descriptor of the folder is the file */
      char link[64];
      snprintf(link, sizeof link, "/proc/thread-self/fd/%d", folder);
      ssize_t size = readlink(link, text, sizeof text - 1);
      text[size > 0 ? size : 0] = 0;
    }
    if (fstatat(folder, text, &status, 0) == 0 && S_ISREG(status.st_mode) &&
        faccessat(folder, text, X_OK, 0) == 0 && of_is_recording()) {
      of_trace_add(ORDERFILE_RECORD_EXEC, 0, strlen(text), 0, of_thread(), text, strlen(text));
    }
  }
  pthread_mutex_unlock(&of_lock);
}

OF_LOCAL void of_called(uint64_t id, unsigned processor, int64_t number, uint64_t a1, uint64_t a2,
                        uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                        uint64_t a8) {
  (void)id, (void)processor, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  switch (of_guest_call_of(of_guest, number)) {
    case OF_CALL_EXECVE: of_executes(AT_FDCWD, a1); break;
    case OF_CALL_EXECVEAT: of_executes((int)a1, a2); break;
    default: break;
  }
}

OF_LOCAL void of_returned(uint64_t id, unsigned processor, int64_t number, int64_t result) {
  (void)id, (void)processor, (void)result;
  switch (of_guest_call_of(of_guest, number)) {
    case OF_CALL_MAPS:
      pthread_mutex_lock(&of_lock);
      of_images_changed();
      pthread_mutex_unlock(&of_lock);
      break;
    case OF_CALL_EXECVE:
    case OF_CALL_EXECVEAT: /* exec failed, so the record does not count */
      pthread_mutex_lock(&of_lock);
      if (of_trace_is_open()) {
        of_trace_add(ORDERFILE_RECORD_EXEC, 0, 0, 0, of_thread(), NULL, 0);
      }
      pthread_mutex_unlock(&of_lock);
      break;
    default: break;
  }
}

OF_LOCAL void of_before_fork(void) { pthread_mutex_lock(&of_lock); }
OF_LOCAL void of_after_fork(void) { pthread_mutex_unlock(&of_lock); }
OF_LOCAL void of_in_child(void) {
  of_trace_forked();
  of_images_forget_numbers();
  of_has_failed = false;
  pthread_mutex_unlock(&of_lock);
}

/* The value of the argument NAME; NULL if there is none. */
OF_LOCAL const char *of_argument(const char *name, int count, char **arguments) {
  size_t size = strlen(name);
  for (int i = 0; i < count; i++) {
    if (strncmp(arguments[i], name, size) == 0 && arguments[i][size] == '=') {
      return arguments[i] + size + 1;
    }
  }
  return NULL;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int count, char **arguments) {
  const char *folder = of_argument("folder", count, arguments);
  const char *program = of_argument("program", count, arguments);
  of_guest = of_guest_named(info->target_name);
  if (!folder || !program || !of_guest || info->system_emulation) {
    fprintf(stderr, "liborderfile-qemu: for 'orderfile record --qemu' only\n");
    return 1;
  }
  of_trace_init(folder, program, of_guest->machine);
  int error = of_trace_begin();
  if (error || (error = pthread_atfork(of_before_fork, of_after_fork, of_in_child))) {
    fprintf(stderr, "liborderfile-qemu: %s: unable to write the trace: %s\n", folder,
            strerror(error));
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, of_translated);
  qemu_plugin_register_vcpu_syscall_cb(id, of_called);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, of_returned);
  return 0;
}

#endif
