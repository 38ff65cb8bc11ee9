// The functions that the basic block address maps in this folder describe.
int called(int);
int loop(const int *values, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += values[i] > 3 ? called(values[i]) : i;
  return sum;
}
int choose(int x) {
  switch (x) {
    case 0: return called(1);
    case 1: return 7;
    case 2: return called(x) + called(x + 1);
    default: return x;
  }
}
int leaf(int x) { return x + 1; }
