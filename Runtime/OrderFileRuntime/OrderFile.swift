import Recorder

/// What an app may say to the recorder that is linked into it.
///
/// Nothing here is needed in the default case. To record an app by Xcode: add this package to the project,
/// the library `OrderFileRuntime` to the app's target, and the flags that `orderfile flags xcode` prints to a
/// build configuration of its own. Launch that with `ORDERFILE_TRACE=app.oftrace` in its environment; the
/// trace is then in the app's `Documents`. Without that variable nothing is recorded.
///
/// One line names a stage of the launch, another one ends it:
///
///     import OrderFileRuntime
///     OrderFile.mark("first screen")
///     OrderFile.stop()
///
/// Objective-C and C say `orderfile_mark("first screen")` after `#include <orderfile_runtime.h>`. That header
/// documents the variables, the paths, and how an app records itself where no variable can be set.
///
/// An instrumented build must never ship. One that is not instrumented and links this library is silent, but
/// it carries the recorder. To ship without, link `orderfile_rt.o` instead, in the recording configuration
/// alone, and use the header: where the recorder is not linked, its functions do nothing.
public enum OrderFile {
  /// Writes a mark: from here on the launch is in the stage called `name`.
  ///
  /// May be called from any thread. At most 255 bytes of the name's UTF-8 are kept, and nothing behind a
  /// zero byte. If `ORDERFILE_STOP_AT` names it, recording stops after the mark.
  public static func mark(_ name: String) {
    name.withCString { orderfile_mark($0) }
  }

  /// Ends the launch: nothing that runs first after this call is recorded, in no thread and no image of
  /// the process. There is no way to start again.
  public static func stop() {
    orderfile_stop()
  }
}
