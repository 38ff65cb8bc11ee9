// libexpat, a streaming reader of XML. <https://libexpat.github.io/doc/api/latest/>

#ifndef ORDERFILE_CEXPAT_H
#define ORDERFILE_CEXPAT_H

#include <expat.h>
#include <stdint.h>

// Newer versions deprecate these two functions; older versions lack their replacements.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// The position of the current event, in bytes from the start of the document; 0 if there is no event.
static inline uint64_t orderfile_xml_position(XML_Parser parser) {
  XML_Index position = XML_GetCurrentByteIndex(parser);
  return position > 0 ? (uint64_t)position : 0;
}

/// The line of the current event, from 1.
static inline uint64_t orderfile_xml_line(XML_Parser parser) {
  return (uint64_t)XML_GetCurrentLineNumber(parser);
}

#pragma GCC diagnostic pop

#endif
