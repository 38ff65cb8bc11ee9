// Adds up the numbers in a text. Most of the code handles mistakes in the text, and does not run in a usual launch.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

int parse(const char *&text) {
  while (*text == ' ') text++;
  if (*text < '0' || *text > '9') {
    std::string what = "expected a digit, found '";
    what += *text;
    throw std::runtime_error(what + "'");
  }
  int number = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    if (number > 99999999) throw std::overflow_error("a number has more than nine digits");
    number = 10 * number + *text - '0';
  }
  return number;
}

long add(const char *text) {
  long sum = 0;
  try {
    while (*text) sum += parse(text);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "left out '%s': %s\n", text, error.what());
  }
  return sum;
}

void report(const char *file, long sum) {
  if (file == nullptr) {
    std::printf("%ld\n", sum);
  } else if (FILE *output = std::fopen(file, "w")) {
    std::fprintf(output, "%ld\n", sum);
    std::fclose(output);
  } else {
    std::perror(file);
    std::exit(1);
  }
}

int main(int count, char **words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s TEXT [FILE]\n", words[0]);
    return 2;
  }
  report(count > 2 ? words[2] : nullptr, add(words[1]));
}
