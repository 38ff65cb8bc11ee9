/* The code of the functions that ran, in a payload: orderfile_payload_format.h defines it.
 *
 * Why Rice codes. A set of 3,000 of 10,000 functions has 8,806 bits of information, log2(10000 over 3000), if all sets
 * are equally likely. For such sets, the numbers of functions between two functions that ran have a geometric
 * distribution, for which Rice codes are within 1 % of the optimum: 8,886 bits. Above all, they have a bound for every
 * set: with k = 1 a function takes 2 bits, and each pair of functions that did not run at most 1 bit. So 3,000 of
 * 10,000 functions take at most 9,500 bits, and 6,000 bits for the quarters: 1,938 bytes. The header, one table and a
 * build ID of 20 bytes take 84 bytes more. With k = 0 a set takes at most one bit for each function of the image.
 *
 * Not used: a bit for each function (10,000 bits for any set, too much together with the quarters); Elias codes, which
 * suit gaps of unknown scale and take 9,787 bits here; a range coder with adaptive probabilities. A range coder takes
 * as many bits as Rice codes for random sets, and fewer for sets whose functions are neighbours. But its bound is not
 * as simple, and each reader must repeat its tables of probabilities to the bit. Four quarters are enough, because the
 * pages of a launch depend on the set of functions, and little on their order. Two bits for each function separate the
 * start of a launch from its end, and say little about the device. The exact position of each function would take 12
 * bits, and would identify a launch.
 *
 * Any thread, any signal handler. Pointers are not NULL. Nothing is allocated. */
#ifndef OF_PAYLOAD_CODE_H
#define OF_PAYLOAD_CODE_H

#include <of_attributes.h>
#include <stdbool.h>
#include <stdint.h>

#define OF_QUARTERS 4u

typedef struct of_function_code {
  uint32_t functions; /* the number of functions that ran */
  uint32_t size;      /* of the code, in bytes */
  uint8_t parameter;  /* of the Rice code */
} of_function_code;

/* Stores in CODE the parameter and the size of the shortest code for the functions that ran. QUARTERS has a byte for
 * each of the GUARDS functions: 0 if it did not run, else 1 + the quarter in which it ran first. */
OF_INTERNAL void of_measure_functions(const uint8_t *quarters, uint32_t guards, of_function_code *code);

/* Writes the code that of_measure_functions has measured to the CODE->size bytes at BYTES. */
OF_INTERNAL void of_encode_functions(const uint8_t *quarters, uint32_t guards,
                                     const of_function_code *code, uint8_t *bytes);

#endif
