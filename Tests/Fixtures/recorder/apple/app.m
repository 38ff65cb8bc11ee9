// A program whose launch runs code in four languages: +load of a class and of a category, constructors, main.
#import <objc/NSObject.h>
#include <orderfile_runtime.h>

@interface Screen : NSObject
+ (void)show;
@end

@interface Screen (Early)
@end

int core_value(void);
int engine_start(void);
#if defined(HAS_SWIFT)
int face_show(int number);
#endif

static int loads;

@implementation Screen
+ (void)load {
  loads++;
}
+ (void)show {
  orderfile_mark("first screen");
}
@end

@implementation Screen (Early)
+ (void)load {
  loads++;
}
@end

#if defined(HAS_DEFAULT)
const char orderfile_default_trace[] = "apple.oftrace";
#endif

int main(void) {
  int value = loads + core_value() + engine_start();
#if defined(HAS_SWIFT)
  value += face_show(value);
#endif
  [Screen show];
  orderfile_stop();
  orderfile_write_names();
  return value;
}
