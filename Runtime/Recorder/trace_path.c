#include "trace_path.h"

#include <errno.h>
#include <of_bytes.h>

typedef struct of_path_writer {
  char *path;
  uint64_t size; /* bytes written */
  bool is_full;
} of_path_writer;

OF_INLINE void of_begin(of_path_writer *writer, char *path) {
  writer->path = path;
  writer->size = 0;
  writer->is_full = false;
}

OF_INLINE void of_put(of_path_writer *writer, char byte) {
  if (writer->size + 1 >= OF_PATH_SIZE) {
    writer->is_full = true;
    return;
  }
  writer->path[writer->size++] = byte;
  writer->path[writer->size] = 0;
}

OF_LOCAL void of_put_number(of_path_writer *writer, uint64_t number) {
  OF_RAW char digits[20];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  while (count) of_put(writer, digits[--count]);
}

OF_LOCAL void of_put_program_name(of_path_writer *writer) {
  static char executable[OF_PATH_SIZE]; /* static because large; registration and a child's set-up come one at a time */
  int size = of_executable_path(executable);
  int start = size > 0 ? size : 0;
  while (start > 0 && executable[start - 1] != '/') start--;
  for (int i = start; i < size; i++) of_put(writer, executable[i]);
}

OF_INTERNAL bool of_expand_path(const char *template_path, char path[OF_PATH_SIZE]) {
  OF_RAW of_path_writer writer;
  of_begin(&writer, path);
  path[0] = 0;
  for (const char *at = template_path; *at; at++) {
    if (at[0] != '%' || !at[1]) {
      of_put(&writer, *at);
      continue;
    }
    switch (*++at) {
      case 'p': of_put_number(&writer, of_process_number()); break;
      case 'n': of_put_program_name(&writer); break;
      case '%': of_put(&writer, '%'); break;
      default: /* not a sequence of the template's syntax: keep it as it is */
        of_put(&writer, '%');
        of_put(&writer, *at);
    }
  }
  return !writer.is_full;
}

OF_INTERNAL bool of_escape_path(const char *path, char template_path[OF_PATH_SIZE]) {
  OF_RAW of_path_writer writer;
  of_begin(&writer, template_path);
  template_path[0] = 0;
  for (; *path; path++) {
    if (*path == '%') of_put(&writer, '%');
    of_put(&writer, *path);
  }
  return !writer.is_full;
}

OF_INTERNAL int of_make_absolute(const char *template_path, char absolute[OF_PATH_SIZE]) {
  uint64_t size = 0, length = of_length(template_path);
  if (template_path[0] != '/') {
    static char folder[OF_PATH_SIZE];
    int result = of_trace_folder(folder);
    if (result < 0) return result;
    if (folder[0] != '/') return -ENOENT; /* "(unreachable)/..." */
    if (!of_escape_path(folder, absolute)) return -ENAMETOOLONG;
    size = of_length(absolute);
    if (size + 1 >= OF_PATH_SIZE) return -ENAMETOOLONG;
    absolute[size++] = '/';
  }
  if (size + length >= OF_PATH_SIZE) return -ENAMETOOLONG;
  of_copy(absolute + size, template_path, length + 1);
  return 0;
}

OF_INTERNAL bool of_has_process_number(const char *template_path) {
  for (const char *at = template_path; *at; at++)
    if (*at == '%' && at[1] && *++at == 'p') return true;
  return false;
}

OF_INTERNAL bool of_append_number(char path[OF_PATH_SIZE], uint64_t number) {
  OF_RAW of_path_writer writer;
  of_begin(&writer, path);
  writer.size = of_length(path);
  of_put(&writer, '.');
  of_put_number(&writer, number);
  return !writer.is_full;
}
