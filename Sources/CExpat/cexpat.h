// libexpat, a streaming reader of XML. <https://libexpat.github.io/doc/api/latest/>

#ifndef ORDERFILE_CEXPAT_H
#define ORDERFILE_CEXPAT_H

#include <expat.h>

#endif
