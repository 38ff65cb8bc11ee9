/* Protects code that runs inside another program from the build flags of that program.
 *
 * SwiftPM, Xcode and CMake pass the flags of an instrumented build to every C file, including the recorder's.
 * An instrumented recorder would call itself endlessly, and a sanitized one would call a runtime that is not
 * initialized yet. OF_IMMUNE excludes a function from: sanitizer coverage, address, thread and
 * undefined-behavior sanitizers, -finstrument-functions, -fprofile-generate, XRay, stack protectors and
 * outlined atomics. More attributes:
 *
 *   noinline   hot-cold splitting leaves such functions alone, and LTO cannot make the callback part
 *              of a caller, which would move the return address
 *   used       LTO keeps the symbol although only code generated later calls it
 *   hidden     (OF_INTERNAL) other files of the recorder reach it without PLT or GOT, which may be
 *              unrelocated when the first hit comes
 */
#ifndef OF_ATTRIBUTES_H
#define OF_ATTRIBUTES_H

#if defined(__aarch64__)
#define OF_NO_OUTLINED_ATOMICS target("no-outline-atomics"),
#else
#define OF_NO_OUTLINED_ATOMICS
#endif

#if defined(OF_NOT_IMMUNE) /* only for tests of the recorder under a sanitizer */
#define OF_IMMUNE
#elif defined(__clang__)
#define OF_IMMUNE                                                                               \
  __attribute__((OF_NO_OUTLINED_ATOMICS no_sanitize("all"), no_sanitize("coverage"),            \
                 disable_sanitizer_instrumentation, no_instrument_function,                      \
                 no_profile_instrument_function, no_stack_protector, xray_never_instrument))
#else
#define OF_IMMUNE                                                                               \
  __attribute__((OF_NO_OUTLINED_ATOMICS no_sanitize_coverage, no_sanitize_address,              \
                 no_sanitize_thread, no_sanitize_undefined, no_instrument_function,              \
                 no_profile_instrument_function, no_stack_protector))
#endif

/* Keeps calls as calls, whatever the optimizer knows about the callee. */
#if defined(__clang__)
#define OF_OUT_OF_LINE __attribute__((noinline))
#else
#define OF_OUT_OF_LINE __attribute__((noipa))
#endif

/* For functions that instrumented code and programs call. Weak on Darwin: if an image has several copies, such as one
 * in each package that Xcode packs with `ld -r`, the linker keeps one of them. Protected on Linux: an image that
 * contains the recorder always calls its own recorder. Otherwise the loader would prefer an earlier image's function of
 * the same name, and a program with a sanitizer exports functions that do nothing. Moreover, an ifunc resolver may call
 * the function before the loader has bound names. */
#if defined(__APPLE__)
#define OF_RUNTIME OF_IMMUNE OF_OUT_OF_LINE __attribute__((used, weak, visibility("default")))
#else
#define OF_RUNTIME OF_IMMUNE OF_OUT_OF_LINE __attribute__((used, visibility("protected")))
#endif

/* After the definition of an OF_RUNTIME function: hides the function in the linked image, so that calls are direct and
 * dyld does not replace it by another image's function. `ld -r` would make a function with hidden visibility local to
 * its result, but keeps this linkage, which is clang's for inline functions. */
#if defined(__APPLE__)
#define OF_ONE_IN_AN_IMAGE(function) __asm__(".weak_def_can_be_hidden _" #function)
#else
#define OF_ONE_IN_AN_IMAGE(function) _Static_assert(1, "on ELF an image exports it")
#endif

/* OF_ONE_UNIT: all files of the recorder are compiled as one, so that its internal functions and data can be static.
 * Hidden symbols of two copies would collide. */
#if defined(OF_ONE_UNIT)
#define OF_HIDDEN static __attribute__((unused))
#define OF_EXTERN static
#else
#define OF_HIDDEN __attribute__((visibility("hidden")))
#define OF_EXTERN extern OF_HIDDEN
#endif
/* Called from other files of the recorder. */
#define OF_INTERNAL OF_HIDDEN OF_IMMUNE OF_OUT_OF_LINE
/* Called in one file only. */
#define OF_LOCAL static OF_IMMUNE OF_OUT_OF_LINE
#define OF_INLINE static inline OF_IMMUNE __attribute__((always_inline))
/* Data of the recorder, reached relative to the PC: OF_EXTERN where a header declares it, OF_DATA where it is defined. */
#define OF_DATA OF_HIDDEN

/* For a local variable: without this attribute, -ftrivial-auto-var-init adds a call of memset. Fields are set one by
 * one for the same reason: an initializer can become such a call. */
#if defined(__has_attribute)
#if __has_attribute(uninitialized)
#define OF_RAW __attribute__((uninitialized))
#endif
#endif
#if !defined(OF_RAW)
#define OF_RAW
#endif

/* For a loop that copies or clears bytes: keeps the compiler from replacing it by a call of memcpy. */
#define OF_KEEP_LOOP() __asm__ volatile("" ::: "memory")

#endif
