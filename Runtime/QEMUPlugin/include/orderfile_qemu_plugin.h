/* What QEMU looks up in the library that `orderfile record --qemu` gives it. */
#ifndef ORDERFILE_QEMU_PLUGIN_H
#define ORDERFILE_QEMU_PLUGIN_H

#include <stdint.h>

struct qemu_info_t;

/* The version of QEMU's interface that the library uses. */
extern __attribute__((visibility("default"))) int qemu_plugin_version;

/* QEMU calls this once, before the first instruction. ARGUMENTS are `folder=PATH`, where the traces go, and
 * `program=PATH`, the program that QEMU runs. If the result is not 0, QEMU prints it and ends. */
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id,
                                                               const struct qemu_info_t *info,
                                                               int count, char **arguments);

#endif
