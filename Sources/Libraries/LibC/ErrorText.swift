/// The C library's text for a number in `errno.h`: "No such file or directory".
///
/// - Parameter number: by default that of this thread's last failed call.
package func errorText(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }
