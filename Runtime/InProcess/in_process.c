#include "of_bytes.h" /* this file is for SwiftPM, which needs a source file in each target */
