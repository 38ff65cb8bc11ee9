/* The C functions that Guest.swift calls: for symbols of an ELF image, and for processes. */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guest_image {
  const char *_Nonnull path;
  /* The addresses of the first bytes of the image's functions, ascending, each once, and the names of the functions. */
  const uint64_t *_Nonnull functions;
  const char *_Nonnull const *_Nonnull names;
  /* For each function, whether its name begins with step_ or race_. */
  const bool *_Nonnull are_ours;
  int function_count;
  /* The only segment of code of the image. */
  uint64_t file_offset, address, size;
  /* The address of the first page of the image that the loader maps. */
  uint64_t start;
};

/* Returns the ELF image at PATH, which is never freed; NULL if the file is no ELF image. */
const struct guest_image *_Nullable guest_image(const char *_Nonnull path);

/* Returns the address of the function NAME, as the image states it; 0 if there is none. */
uint64_t guest_function(const struct guest_image *_Nonnull image, const char *_Nonnull name);

/* Blocks or unblocks SIGTRAP for this process and the processes that it starts. */
void guest_block_trap(bool is_blocked);

/* Starts PROGRAM with the argument SCENE, and returns the process's number when the program has written to descriptor 3
 * that it is ready. */
pid_t guest_start(const char *_Nonnull program, const char *_Nonnull scene);

/* Runs /recorded with the argument SCENE, which records itself, and prints its trace: lines "trace OFFSET 32-BYTES" in
 * hexadecimal, without lines of zeros, and "size N". */
void guest_record(const char *_Nonnull scene);

/* Calls TRACE in another process, which is killed when the program /static that it traces is ready. When the program is
 * no longer traced, prints whether it still runs, and whether its code and the protection of its code are as they
 * should be. A hang ends after ten minutes. */
void guest_outlives_command(void (*_Nonnull trace)(void));

#endif
