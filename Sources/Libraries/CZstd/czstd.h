// Zstandard, for sections compressed with ELFCOMPRESS_ZSTD. <https://facebook.github.io/zstd/>

#ifndef ORDERFILE_CZSTD_H
#define ORDERFILE_CZSTD_H

#include <zstd.h>

#endif
