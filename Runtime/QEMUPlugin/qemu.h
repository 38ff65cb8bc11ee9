/* The part of QEMU's interface for plugins that is used here. Debian has no package with a header for it.
 * <https://www.qemu.org/docs/master/devel/tcg-plugins.html>
 *
 * Each QEMU accepts a range of interface versions: QEMU 4.2 to 8.2 accept 0 and 1, QEMU 9.0 and later accept 2 and up.
 * The functions below are the same in versions 1 to 4 (QEMU 10.0). */
#ifndef OF_QEMU_H
#define OF_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OF_QEMU_7 = 1, OF_QEMU_9 = 2 }; /* versions of the interface */

/* A function that QEMU exports from version 2 of the interface on. */
#define OF_ONLY_QEMU_9 "qemu_plugin_scoreboard_new"

struct qemu_info_t {
  const char *target_name; /* "x86_64"; gone after the call */
  struct {
    int min, cur;
  } version;
  bool system_emulation; /* true: QEMU emulates a whole machine; false: one program */
  union {
    struct {
      int smp_vcpus, max_vcpus;
    } system;
  };
};

/* Code that is translated at once, and an instruction of it. Both are gone after the call. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
/* The address of the instruction in QEMU's own memory. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*body)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_syscall_cb(
    uint64_t id, void (*body)(uint64_t id, unsigned processor, int64_t number, uint64_t a1,
                              uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                              uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id,
                                              void (*body)(uint64_t id, unsigned processor,
                                                           int64_t number, int64_t result));

#endif
