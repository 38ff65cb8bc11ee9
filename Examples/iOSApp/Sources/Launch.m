#import "Launch.h"
#include "Store.h"
#include <orderfile_runtime.h>

int greeting(int count);  // Greeting.swift
int theme_tint(void);     // Theme.cpp

// Store.c also has a function of this name. An order file distinguishes the two by their object files.
__attribute__((noinline)) static int check(int shown) { return shown > 0 ? shown : 1; }

@implementation Launch
// Runs before main, and before the constructors.
+ (void)load {
  store_open();
}

- (void)logOut {
  store_compact();
}

- (int)run {
  int shown = greeting(store_count()) + theme_tint();
  orderfile_mark("first screen");
  return check(shown);
}
@end
