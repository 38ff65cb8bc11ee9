import Recorder

/// Functions that an app can call in the recorder that is linked into it.
///
/// An app needs none of these calls by default. To record an app from Xcode: add this package to the project, add the
/// library `OrderFileRuntime` to the app's target, and add the flags that `orderfile init --print xcode` prints to a
/// separate build configuration. Launch this configuration with `ORDERFILE_TRACE=app.oftrace` in its environment; the
/// trace is then in the app's `Documents`. Without this variable nothing is recorded.
///
/// One line marks a point in the launch, another one ends the recording:
///
///     import OrderFileRuntime
///     OrderFile.mark("first screen")
///     OrderFile.stop()
///
/// In Objective-C and C, call `orderfile_mark("first screen")` after `#include <orderfile_runtime.h>`. That
/// header documents the variables, the paths, and how an app records itself if no variable can be set.
///
/// Never ship an instrumented build. A build that is not instrumented but links this library records nothing,
/// but contains the recorder. To ship without it, link `orderfile_rt.o` instead, in the recording
/// configuration only, and use the header: if the recorder is not linked, its functions do nothing.
public enum OrderFile {
  /// Writes a mark called `name`.
  ///
  /// It may be called from any thread. At most 255 bytes of the name's UTF-8 are kept, up to the first zero byte. If
  /// `ORDERFILE_STOP_AT` names the mark, recording stops after the mark.
  public static func mark(_ name: String) {
    name.withCString { orderfile_mark($0) }
  }

  /// Ends the recording: no function that first runs after this call is recorded, in any thread or image of
  /// the process. Recording cannot be started again.
  public static func stop() {
    orderfile_stop()
  }

  /// Returns the payload of the launch so far: which functions ran, without names, to be sent to the app's developers.
  ///
  /// It may be called from any thread.
  ///
  /// - Parameters:
  ///   - token: a random number that the app has drawn for this device and this day, so that devices can be counted; 0
  ///     if there is none.
  ///   - limit: the most bytes of the payload. 2048 bytes are enough for any 3,000 of the 10,000 functions of an image.
  /// - Returns: no bytes if nothing is recorded, if there is no room, in a forked child, and while another thread loads an
  ///   image.
  public static func payload(token: UInt, limit: Int = 2048) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = Int(orderfile_write_payload(buffer.baseAddress, UInt(buffer.count), token))
    }
  }
}
