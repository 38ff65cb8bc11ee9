/* The images in the emulated process, and which of their instructions have been translated.
 *
 * Not thread-safe: the plugin's lock is held. */
#ifndef OF_GUEST_IMAGES_H
#define OF_GUEST_IMAGES_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct of_guest_image {
  uint64_t start, end; /* the range of the image's code in the program's memory */
  uint64_t slide;      /* loaded minus stated address */
  uint64_t to_host;    /* what to add to get addresses in QEMU's memory */
  uint64_t device, inode;
  uint64_t offset;  /* the offset in the file of the byte at `start` */
  uint64_t number;  /* in this process's trace; 0 if it has no record there yet */
  uint8_t *is_seen; /* a bit for each byte: an instruction that begins there has been translated */
  uint32_t id_kind, id_size; /* the image ID, as in a trace */
  uint8_t id[64];
  char path[4096];
};

/* Notes that the mappings may have changed. */
OF_INTERNAL void of_images_changed(void);

/* Reads the mappings again if they may have changed, and calls GONE for each image that is gone. Returns false if the
 * mappings could not be read. */
OF_INTERNAL bool of_images_refresh(void (*gone)(const struct of_guest_image *));

/* Returns the image with code at ADDRESS, which QEMU has at HOST; NULL for code in no image. Valid until the next
 * refresh. */
OF_INTERNAL struct of_guest_image *of_image_at(uint64_t address, const void *host);

/* Marks the instruction at ADDRESS as translated, and returns whether it was not marked before. */
OF_INTERNAL bool of_image_see(struct of_guest_image *image, uint64_t address);

/* Notes that the trace has no record of any image. */
OF_INTERNAL void of_images_forget_numbers(void);

#endif
