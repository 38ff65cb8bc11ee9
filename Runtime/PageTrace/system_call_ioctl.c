/* The memory of ioctl(2), for requests to terminals, files, pipes, sockets and block devices. Requests to other drivers
 * are not listed: their objects may contain addresses. */
#define _GNU_SOURCE
#include "system_call_ioctl.h"

#if defined(__linux__)
#include <asm/ioctls.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <stddef.h>

#include "system_call_words.h"

/* Returns the size of the object that the argument of REQUEST points to; 0 if the argument is a number, -1 if REQUEST
 * is not listed. */
OF_LOCAL int of_size_of_request(uint32_t request) {
  switch (request) {
  case TCGETS:
  case TCSETS:
  case TCSETSW:
  case TCSETSF: return 36;
  case TCGETA:
  case TCSETA:
  case TCSETAW:
  case TCSETAF: return 18;
  case 0x802c542a: /* TCGETS2, TCSETS2, TCSETSW2, TCSETSF2 */
  case 0x402c542b:
  case 0x402c542c:
  case 0x402c542d: return 44;
  case TIOCGWINSZ:
  case TIOCSWINSZ: return 8;
  case TIOCGPGRP:
  case TIOCSPGRP:
  case TIOCGSID:
  case TIOCOUTQ:
  case FIONREAD:
  case FIONBIO:
  case FIOASYNC:
  case TIOCGPTN:
  case TIOCSPTLCK:
  case TIOCGPTLCK:
  case TIOCGPKT:
  case TIOCPKT:
  case TIOCMGET:
  case TIOCMSET:
  case TIOCMBIS:
  case TIOCMBIC:
  case TIOCGETD:
  case TIOCSETD:
  case TIOCGSOFTCAR:
  case TIOCSSOFTCAR:
  case TIOCGEXCL:
  case FIOSETOWN:
  case SIOCSPGRP:
  case FIOGETOWN:
  case SIOCGPGRP:
  case SIOCATMARK:
  case BLKROGET:
  case BLKROSET:
  case BLKSSZGET:
  case FIGETBSZ:
  case FIBMAP: return 4;
  case TIOCSTI: return 1;
  case FIOQSIZE:
  case BLKGETSIZE:
  case BLKGETSIZE64:
  case BLKBSZGET:
  case FS_IOC_GETFLAGS:
  case FS_IOC_SETFLAGS: return 8;
  case FICLONERANGE: return 32;
  case FS_IOC_FSGETXATTR:
  case FS_IOC_FSSETXATTR: return 28;
  case TCSBRK:
  case TCSBRKP:
  case TCXONC:
  case TCFLSH:
  case TIOCEXCL:
  case TIOCNXCL:
  case TIOCSCTTY:
  case TIOCNOTTY:
  case TIOCCONS:
  case TIOCVHANGUP:
  case TIOCMIWAIT:
  case FIONCLEX:
  case FIOCLEX:
  case TIOCGPTPEER:
  case FICLONE:
  case BLKFLSBUF:
  case BLKRRPART:
  case FIFREEZE: return 0;
  default:
    /* Requests about a network interface have a struct ifreq. Requests of its driver are not listed: their ifreq
     * contains an address. */
    if (request >= SIOCGIFNAME && request <= SIOCGIFINDEX && request != SIOCGIFCONF) return 40;
    return -1;
  }
}

OF_INTERNAL bool of_use_ioctl(uint64_t request, uint64_t address,
                              const struct orderfile_call_memory *memory) {
  uint32_t number = (uint32_t)request;
  uint64_t list[2];
  if (number == SIOCGIFCONF) { /* a struct ifconf: a size and an address */
    if (of_use_and_read(address, list, sizeof list, memory))
      of_use_object(list[1], list[0] & 0xffffffff, memory);
    return true;
  }
  int size = of_size_of_request(number);
  if (size >= 0) {
    of_use_object(address, (uint64_t)size, memory);
    return true;
  }
  /* REQUEST may contain the size of its object, <asm-generic/ioctl.h>. */
  of_use_object(address, number >> 30 ? number >> 16 & 0x3fff : 0, memory);
  return false;
}
#endif
