/// Programs for Apple platforms whose output shows which functions ran, in what order, and who called them.
enum ApplePrograms {
  /// An Objective-C program that uses the two libraries below.
  static let main = """
    #include <dlfcn.h>
    #include <mach-o/dyld.h>
    #include <objc/NSObject.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    @interface Base : NSObject
    @property int number;
    - (int)twice:(int)x;
    @end
    @interface Derived : Base
    @end
    @implementation Derived
    + (void)load { puts("+[Derived load]"); }
    - (int)twice:(int)x { return [super twice:x] + 1; }
    - (id)init { self = [super init]; if (self) self.number = 5; return self; }
    @end
    @implementation Base
    + (void)load { puts("+[Base load]"); }
    + (void)initialize { printf("initialize %s\\n", self == [Base class] ? "Base" : "another"); }
    - (int)twice:(int)x { return 2 * x; }
    - (int)thrice:(int)x { return 0; }
    @end
    @interface Base (More)
    - (int)thrice:(int)x;
    @end
    @implementation Base (More)
    + (void)load { puts("+[Base(More) load]"); }
    - (int)thrice:(int)x { return 3 * x; }
    @end
    int library(int);
    static void added(const struct mach_header *header, intptr_t slide) {
      Dl_info info;
      printf("added %s\\n", dladdr(header, &info) ? strrchr(info.dli_fname, '/') + 1 : "?");
    }
    __attribute__((constructor)) static void early(int count, char **arguments, char **environment) {
      printf("constructor %d %s %s\\n", count, arguments[1], environment[0]);
    }
    __attribute__((destructor)) static void late(void) { puts("destructor"); }
    static void bye(void) { puts("bye"); }
    int main(int count, char **arguments) {
      atexit(bye);
      Derived *derived = [[Derived alloc] init];
      printf("%d %d %d %d\\n", [derived twice:4], [derived thrice:4], derived.number, library(count));
      printf("%5d|%-5d|%05.2f|%s|%c|%lx\\n", 42, 7, 3.14159, getenv("HOME"), 'c', 255ul);
      _dyld_register_func_for_add_image(added);
      void *plugin = dlopen("@rpath/libplugin.dylib", RTLD_NOW);
      if (!plugin) { puts(dlerror()); return 1; }
      int (*function)(int) = dlsym(plugin, "plugin");
      printf("plugin %d\\n", function(3));
      printf("closed %d\\n", dlclose(plugin));
      return 3;
    }
    """

  static let library = """
    #include <stdio.h>
    struct Library { Library() { puts("library begins"); } ~Library() { puts("library ends"); } };
    static Library it;
    extern "C" int library(int x) { return x + 100; }
    """

  static let plugin = """
    #include <stdio.h>
    __attribute__((constructor)) static void early(void) { puts("plugin begins"); }
    __attribute__((destructor)) static void late(void) { puts("plugin ends"); }
    int plugin(int x) { return x * 11; }
    """

  /// The output of the programs. dyld initializes a library before the images that need it; libobjc sends `+load` first
  /// to superclasses and last to categories, and all of it before the image's constructors run; exit handlers run
  /// backwards.
  static let output = """
    library begins
    +[Base load]
    +[Derived load]
    +[Base(More) load]
    constructor 2 argument HOME=/home
    initialize Base
    initialize another
    9 12 5 102
       42|7    |03.14|/home|c|ff
    added program
    added liblibrary.dylib
    added libplugin.dylib
    plugin begins
    plugin 33
    plugin ends
    closed 0
    bye
    destructor
    library ends

    """

  /// Each function on a page of 16 KiB of its own; main calls the second and the fourth and reads from the
  /// fifth. Nine instructions of `main` are on the sixth.
  static let pages = """
    .subsections_via_symbols
    .globl _main, _one, _two, _three, _four
    .p2align 14
    _one: ret
    .p2align 14
    _two: ret
    .p2align 14
    _three: ret
    .p2align 14
    _four: ret
    .p2align 14
    _constant: .quad 7
    .p2align 14
    _main:
      stp x29, x30, [sp, #-16]!
      bl _four
      bl _two
      adrp x8, _constant@PAGE
      add x8, x8, _constant@PAGEOFF
      ldr x0, [x8]
      ldp x29, x30, [sp], #16
      ret
    """
}
