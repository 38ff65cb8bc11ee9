/// The C library's text for a number in `errno.h`: "No such file or directory".
///
/// - Parameter number: the default is the number of the last failed call of this thread.
package func errorText(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }
