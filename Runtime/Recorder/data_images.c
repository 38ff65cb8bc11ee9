#include "data_images.h"

#include "platform.h"

static of_data_image of_own_data;
/* An entry whose range is empty. */
static of_data_image of_no_data;

/* The first address of the granule with the byte at ADDRESS. */
OF_INLINE uint64_t of_granule_start(uint64_t address) {
  return address & ~(uint64_t)(ORDERFILE_DATA_GRANULE - 1);
}

/* The number of words with a bit for each granule of SIZE bytes. */
OF_INLINE uint64_t of_words_for(uint64_t size) { return size / ORDERFILE_DATA_GRANULE / 64 + 1; }

/* Puts NODE before LIST, and sets the fields of NODE that depend on LIST. Returns false if LIST is no longer the
 * list. */
OF_LOCAL bool of_link_data(of_data_image *node, of_data_image *list) {
  uint64_t start = node->start, end = node->start + node->size;
  if (list && list->hull_size) {
    uint64_t hull_end = list->hull_start + list->hull_size;
    if (list->hull_start < start) start = list->hull_start;
    if (hull_end > end) end = hull_end;
  }
  node->next = list;
  node->hull_start = start;
  node->hull_size = end - start;
  /* release: publishes the fields; pairs with the acquire of each look-up */
  return of_compare_exchange_release(&of_recorder.data_images, &list, node);
}

OF_INTERNAL of_data_image *of_first_data_image(void) {
  static uint32_t is_taken; /* atomic */
  of_data_image *list = of_load_acquire(&of_recorder.data_images); /* acquire: pairs with the release in of_link_data */
  uint32_t taken = 0;
  /* One caller begins the list. Touches that others see meanwhile (other threads, or a signal handler) belong to no
   * image. */
  if (list || !of_compare_exchange_relaxed(&is_taken, &taken, 1)) return list; /* relaxed: picks one */
  uint64_t start = 0, end = 0;
  if (!of_own_range(&start, &end)) return NULL;
  of_own_data.start = of_granule_start(start);
  of_own_data.size = of_granule_start(end + ORDERFILE_DATA_GRANULE - 1) - of_own_data.start;
  of_link_data(&of_own_data, NULL); /* fails if this image or another one has registered meanwhile */
  return of_load_acquire(&of_recorder.data_images); /* acquire: as above */
}

OF_INTERNAL bool of_add_data_image(of_data_image *node, uint64_t number, uint64_t start, uint64_t end) {
  start = of_granule_start(start);
  uint64_t size = of_granule_start(end + ORDERFILE_DATA_GRANULE - 1) - start;
  of_data_image *list = of_load_acquire(&of_recorder.data_images); /* acquire: as above */
  for (of_data_image *image = list; image; image = (of_data_image *)image->next) {
    bool is_own = image == &of_own_data && start <= (uint64_t)&of_own_data && (uint64_t)&of_own_data < end;
    if (!is_own && (image->start != start || image->size != size)) continue;
    bool is_gone = of_load_relaxed(&image->is_gone); /* relaxed: locked */
    /* One image can have two ranges of guards. relaxed: locked */
    if (!is_gone && of_load_relaxed(&image->number)) return false;
    uint64_t *touched = of_load_acquire(&image->touched); /* acquire: pairs with the release in of_touched_bits */
    for (uint64_t i = 0; is_gone && touched && i < of_words_for(size); i++)
      if (of_load_relaxed(&touched[i])) of_store_relaxed(&touched[i], 0); /* relaxed: of an image that is gone */
    of_store_relaxed(&image->number, number); /* relaxed: a number */
    of_store_relaxed(&image->is_gone, 0);     /* relaxed: a flag */
    return !is_gone && touched;
  }
  /* A node that is in the list is not changed: a look-up may be reading it. */
  if (node->size) node = of_map_memory(sizeof *node);
  if (!node) return false;
  node->start = start;
  node->size = size;
  of_store_relaxed(&node->number, number); /* relaxed: published with the node */
  while (!of_link_data(node, list)) list = of_load_acquire(&of_recorder.data_images); /* acquire: as above */
  return false;
}

OF_INTERNAL void of_forget_data_image(uint64_t number) {
  of_data_image *image = of_load_acquire(&of_recorder.data_images); /* acquire: as above */
  for (; image; image = (of_data_image *)image->next)
    if (of_load_relaxed(&image->number) == number) of_store_relaxed(&image->is_gone, 1); /* relaxed: locked */
}

OF_INTERNAL void of_ignore_data(void) {
  of_store_release(&of_recorder.data_images, &of_no_data); /* release: as in of_link_data, though all is zero */
}

/* Returns the bits of IMAGE, which are mapped now if necessary; NULL if there is no memory. */
OF_LOCAL uint64_t *of_touched_bits(of_data_image *image) {
  uint64_t *touched = of_load_acquire(&image->touched); /* acquire: the bits are zero, as mapped */
  if (touched) return touched;
  uint64_t size = of_words_for(image->size) * sizeof(uint64_t);
  uint64_t *mapped = of_map_memory(size);
  if (!mapped) return NULL;
  /* release: pairs with the acquire above; picks one winner among the threads */
  if (of_compare_exchange_release(&image->touched, &touched, mapped)) return mapped;
  of_unmap(mapped, size);
  return touched; /* the winner's */
}

OF_INTERNAL const of_data_image *of_touch_first(uint64_t address) {
  of_data_image *image = of_load_acquire(&of_recorder.data_images); /* acquire: as above */
  while (image && address - image->start >= image->size) image = (of_data_image *)image->next;
  if (!image || of_load_relaxed(&image->is_gone)) return NULL; /* relaxed: a flag */
  uint64_t *touched = of_touched_bits(image);
  if (!touched) return NULL;
  uint64_t granule = (address - image->start) / ORDERFILE_DATA_GRANULE;
  uint64_t bit = (uint64_t)1 << granule % 64, *word = &touched[granule / 64];
  if (of_load_relaxed(word) & bit) return NULL; /* relaxed: saves most touches the exchange */
  /* relaxed: picks one winner among the threads and publishes nothing */
  return of_fetch_or_relaxed(word, bit) & bit ? NULL : image;
}
