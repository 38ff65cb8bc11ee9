#include "page_states.h"

OF_INTERNAL uint32_t of_allowed(uint8_t state, bool has_begun) {
  uint32_t by_right = state & OF_BY_RIGHT;
  if (!(state & OF_WATCHED)) return by_right;
  uint32_t given = 0;
  if (state & OF_SEEN_READ) given |= PROT_READ;
  if (state & OF_SEEN_WRITE) given |= PROT_READ | PROT_WRITE;
  if (state & OF_SEEN_EXECUTE) given |= PROT_READ | PROT_EXEC;
  if (!has_begun) given |= PROT_READ | PROT_WRITE;
  return given & by_right;
}

OF_INTERNAL uint8_t of_right_for(enum orderfile_page_access access) {
  switch (access) {
  case ORDERFILE_PAGE_EXECUTE: return PROT_EXEC;
  case ORDERFILE_PAGE_WRITE: return PROT_WRITE;
  default: return PROT_READ;
  }
}

OF_INTERNAL uint8_t of_seen_by(enum orderfile_page_access access) {
  switch (access) {
  case ORDERFILE_PAGE_EXECUTE: return OF_SEEN_EXECUTE;
  case ORDERFILE_PAGE_WRITE: return OF_SEEN_WRITE;
  case ORDERFILE_PAGE_KERNEL: return OF_SEEN_READ | OF_SEEN_WRITE;
  default: return OF_SEEN_READ;
  }
}
