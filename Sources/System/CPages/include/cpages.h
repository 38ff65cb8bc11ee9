/* For Swift: the memory that the page tracers in a launch's processes write and this process reads.
 * <orderfile_page_trace.h> has the constants. Use it from one thread at a time. */
#ifndef CPAGES_H
#define CPAGES_H

#include <orderfile_page_trace.h>
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Whether the page tracer works here: whether this kernel lets a program intercept its own system calls. */
bool cpages_is_supported(void);

struct cpages;

/* Creates the memory that a traced program writes to. IMAGES, STOP_MARK and STOP_PATH have the tracer's format. If
 * STOP_DISTANCE is 0, there is no place to stop. The program can open *DESCRIPTOR through /proc as long as this process
 * lives. Returns 0 or an errno: ENAMETOOLONG if an argument does not fit. */
int cpages_create(const char *images, const char *stop_mark, const char *stop_path,
                  uint64_t stop_distance, struct cpages *_Nullable *_Nonnull trace,
                  int *descriptor);
/* Limits the stop place to one build: to the file with DEVICE and INODE, unless INODE is 0, and to the image with ID in memory,
 * unless ID_SIZE is 0. The upper half of DEVICE is the major number. Call this before the launch. */
void cpages_set_stop_build(struct cpages *trace, uint64_t device, uint64_t inode, const uint8_t *id,
                           uint32_t id_size, bool id_is_weak);
/* Creates the memory, as cpages_create does, for a tracer that watches no pages: it only reports that the program has
 * reached MARK. If STOPS_PROCESS is set, the process that reaches MARK first stops itself (SIGSTOP). */
int cpages_listen(const char *mark, bool stops_process, struct cpages *_Nullable *_Nonnull trace, int *descriptor);
/* The number of the process that stops, or has stopped, at the mark; 0 if no process did, or if it continues. */
uint32_t cpages_stopping_process(struct cpages *trace);
void cpages_destroy(struct cpages *trace, int descriptor);

/* Copies the first complete record at or after *PLACE, which is 0 at first, and sets *PLACE to the record after it and
 * after its path; false after the last record. The copy does not change if the program writes to the memory. */
bool cpages_next(struct cpages *trace, uint32_t *place, struct orderfile_page_record *record);

/* The size of a buffer for any path: the kernel's limit, and room for a suffix such as " (deleted)". */
enum { CPAGES_PATH_SIZE = 8192 };

/* Both functions take the RECORD and the PLACE that cpages_next has set, and copy what follows the record: a process that
 * still runs may write to the memory. cpages_path copies the path of an image or of a program to PATH, which has ROOM
 * bytes, with a null; false if RECORD has another kind, or if the path does not fit. cpages_image returns the build of
 * an image; without file and ID if RECORD has another kind. */
bool cpages_path(struct cpages *trace, uint32_t place, const struct orderfile_page_record *record, char *path,
                 uint32_t room);
struct orderfile_page_image cpages_image(struct cpages *trace, uint32_t place,
                                         const struct orderfile_page_record *record);

/* Stores the ID of IMAGE, and returns its size, at most 64; 0 if the ID is unknown. */
uint32_t cpages_image_id(const struct orderfile_page_image *image, uint8_t *id);

/* Copies the launched program's path without symbolic links to PATH, which has CPAGES_PATH_SIZE bytes; an empty path if
 * nothing was seen. */
void cpages_program(struct cpages *trace, char *path);

/* The number of lost records. */
uint32_t cpages_lost(struct cpages *trace);
bool cpages_was_stopped(struct cpages *trace);
/* Ends counting: touches after this call do not count. */
void cpages_stop(struct cpages *trace);

/* Gives the number of the first system call whose memory is unknown; reads and writes after this call were not seen.
   `is_later`: the call lets the kernel use memory afterwards. Returns false if there was no such call. */
bool cpages_unknown_call(struct cpages *trace, uint32_t *number, bool *is_later);

/* The problem that disturbed the tracer, and its errno. */
enum orderfile_page_problem cpages_problem(struct cpages *trace, int *error);

#pragma clang assume_nonnull end

#endif
