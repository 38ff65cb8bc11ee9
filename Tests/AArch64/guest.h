/* What Guest.swift needs of C: symbols of an ELF image, and processes. */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guest_image {
  const char *_Nonnull path;
  /* First bytes of its functions, ascending, each once, and their names. */
  const uint64_t *_Nonnull functions;
  const char *_Nonnull const *_Nonnull names;
  /* Whether the name begins with step_ or race_. */
  const bool *_Nonnull are_ours;
  int function_count;
  /* The one segment of code. */
  uint64_t file_offset, address, size;
  /* The first page that the loader maps. */
  uint64_t start;
};

/* The ELF image at PATH, which is kept for ever; NULL if it is none. */
const struct guest_image *_Nullable guest_image(const char *_Nonnull path);

/* The function called NAME, as the image states it; 0 if there is none. */
uint64_t guest_function(const struct guest_image *_Nonnull image, const char *_Nonnull name);

/* Blocks SIGTRAP for this process and what it starts, or does not. */
void guest_block_trap(bool is_blocked);

/* Starts PROGRAM SCENE, and returns its number when it has said on descriptor 3 that it is ready. */
pid_t guest_start(const char *_Nonnull program, const char *_Nonnull scene);

/* Runs /recorded SCENE, which records itself, and prints its trace: lines "trace OFFSET 32-BYTES" in hexadecimal,
 * without those that are zero, and "size N". */
void guest_record(const char *_Nonnull scene);

/* Calls TRACE in a process of its own, which is killed when the program /static that it traces is ready. When
 * nobody traces that any more, prints whether it is still there, and its code and the protection of it are as
 * they should be; ten minutes guard against a hang. */
void guest_outlives_command(void (*_Nonnull trace)(void));

#endif
