/* The second part of the porting interface: the loader's information about images. images_<system>.c
 * implements it.
 *
 * From initializers only: all functions call libc, and may take the loader's lock. Pointers are not NULL. */
#ifndef OF_IMAGES_H
#define OF_IMAGES_H

#include "platform.h"

/* One loaded image. */
typedef struct of_image {
  uint64_t slide;                   /* loaded minus stated */
  uint64_t start, end;              /* loaded range of all its segments */
  uint64_t text_start, text_end;    /* loaded range of its executable segments */
  const uint8_t *id;                /* the image ID, which is in the image; or NULL */
  uint32_t id_kind;                 /* ORDERFILE_ID_ */
  uint32_t id_size;                 /* bytes */
  uint8_t weak_id[8];               /* the hash of the program headers or load commands */
  bool is_executable;               /* the program itself, not a library */
  char path[OF_PATH_SIZE];          /* absolute */
} of_image;

/* Finds the image that contains ADDRESS and stores it in *IMAGE; false if there is none. */
OF_INTERNAL bool of_find_image(uint64_t address, of_image *image);
/* Whether ADDRESS, which is in the recorder, is in the program itself and not in a library. */
OF_INTERNAL bool of_is_in_program(const void *address);
/* The number of images that have been unloaded so far. */
OF_INTERNAL uint64_t of_unload_count(void);

#endif
