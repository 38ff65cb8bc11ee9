// lld for ELF, from the static libraries of LLVM.
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

int main(int count, char **words) {
  return lld::lldMain({words, words + count}, llvm::outs(), llvm::errs(), {{lld::Gnu, &lld::elf::link}}).retCode;
}
