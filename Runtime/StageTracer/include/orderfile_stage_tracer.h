/* orderfile_stage_tracer.h: the functions that glibc's loader calls in a library for LD_AUDIT, <rtld-audit(7)>. */
#ifndef ORDERFILE_STAGE_TRACER_H
#define ORDERFILE_STAGE_TRACER_H

#if defined(__linux__)
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* the declarations of <link.h> for auditors */
#endif
#include <link.h>
#include <of_attributes.h>

OF_RUNTIME unsigned la_version(unsigned version);
OF_RUNTIME void la_activity(uintptr_t *cookie, unsigned flag);
OF_RUNTIME unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
#endif

#endif
