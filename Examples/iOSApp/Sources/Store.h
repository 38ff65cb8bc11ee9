// The store of the app, in plain C.
int store_open(void);
int store_count(void);
void store_compact(void);
