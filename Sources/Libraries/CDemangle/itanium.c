// libiberty's demangler passes on its text piece by piece and allocates no memory meanwhile, so it can be
// abandoned midway. Without libiberty, the C++ runtime's demangler is used, and its text is truncated
// afterwards.

#include "cdemangle.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<libiberty/demangle.h>)

#include <libiberty/demangle.h>
#include <setjmp.h>

typedef struct {
  char *bytes;
  size_t count, limit;
  jmp_buf too_long;
} of_text;

static void of_append(const char *piece, size_t size, void *opaque) {
  of_text *text = opaque;
  if (size > text->limit - text->count) longjmp(text->too_long, 1);
  memcpy(text->bytes + text->count, piece, size);
  text->count += size;
}

char *orderfile_demangle_itanium(const char *name, size_t limit) {
  of_text text = {.bytes = malloc(limit + 1), .limit = limit};
  if (!text.bytes) return NULL;
  char *volatile bytes = text.bytes;
  if (setjmp(text.too_long)
      || !cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_TYPES, of_append, &text)) {
    free(bytes);
    return NULL;
  }
  text.bytes[text.count] = 0;
  return text.bytes;
}

#else

char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

char *orderfile_demangle_itanium(const char *name, size_t limit) {
  int status = 0;
  char *text = __cxa_demangle(name, NULL, NULL, &status);
  if (text && strlen(text) > limit) {
    free(text);
    return NULL;
  }
  return text;
}

#endif
