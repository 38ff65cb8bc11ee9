#import "Launch.h"
#include <stdio.h>

#if __has_include(<UIKit/UIKit.h>)
#import <UIKit/UIKit.h>

int main(int count, char **arguments) {
  @autoreleasepool {
    return UIApplicationMain(count, arguments, nil, @"AppDelegate");
  }
}

#else

// Without UIKit, main does the work of the app delegate.
int main(int count, char **arguments) {
  Launch *launch = [[Launch alloc] init];
  if (count > 99) [launch logOut];
  printf("%d\n", [launch run]);
  return 0;
}
#endif
