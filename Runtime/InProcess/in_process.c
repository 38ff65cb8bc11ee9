#include "of_bytes.h" /* for SwiftPM, whose targets have a source */
