import Rendering

/// The Xcode build settings for recording and for ordering, and the steps to take with them.
/// <https://developer.apple.com/documentation/xcode/build-settings-reference>
///
/// The environment variable `XCODE_XCCONFIG_FILE` names one of these files. Its settings override the settings of all
/// targets, including CocoaPods and packages, and no project has to be changed. Xcode replaces `$(inherited)` by the
/// target's own settings.
package struct XcodeSettings: Sendable {
  /// The folder of both files; absolute.
  package var folder: String
  /// The folder that holds `iphoneos/orderfile_rt.o` and the recorders for the other platforms; absolute.
  package var runtime: String
  /// The path of the order file. It is absolute, because Xcode would look up a relative path in the folder of each
  /// project.
  package var orderFile: String

  /// Whether C, C++ and Objective-C code also records the data that it touches; swiftc refuses the options for data.
  package var recordsData: Bool

  package init(folder: String, runtime: String, orderFile: String, recordsData: Bool = false) {
    self.folder = folder
    self.runtime = runtime
    self.orderFile = orderFile
    self.recordsData = recordsData
  }

  private var coverageOfC: String {
    "$(ORDERFILE_COVERAGE)" + (recordsData ? ",trace-loads,trace-stores" : "")
  }

  package static let recordName = "orderfile-record.xcconfig"
  package static let orderName = "orderfile-order.xcconfig"

  /// Whether a settings file can contain this path: `$` begins a reference there, and `//` a comment.
  package static func canSay(_ path: String) -> Bool {
    !path.contains("$") && !path.contains("//") && !path.contains("\n") && !path.contains("\"")
  }

  /// The settings file for the build that is recorded.
  package var record: String {
    """
    // Build settings for recording the functions of a launch. Written by 'orderfile init --print xcode'.
    //
    // Never ship a build made with this file: each function calls the recorder. Keep these settings out of
    // the project. Name this file in the environment of the one command that needs it,
    //
    //   XCODE_XCCONFIG_FILE=\(folder)/\(Self.recordName) xcodebuild -configuration Release …
    //
    // because the base configuration of a project does not reach packages and pods: they would not be
    // recorded. The optimization settings must be those of Release. 'orderfile show IMAGE' says how much of an
    // image is instrumented.

    ORDERFILE_COVERAGE = func,trace-pc-guard,pc-table
    OTHER_CFLAGS = $(inherited) -fsanitize-coverage=\(coverageOfC)
    OTHER_CPLUSPLUSFLAGS = $(inherited) -fsanitize-coverage=\(coverageOfC)
    OTHER_SWIFT_FLAGS = $(inherited) -Xfrontend -sanitize=fuzzer -Xfrontend -sanitize-coverage=$(ORDERFILE_COVERAGE)

    // The recorder for the platform: iphoneos, appletvsimulator, … Mac Catalyst has macOS's PLATFORM_NAME, but
    // another recorder.
    ORDERFILE_RUNTIME = \(runtime)
    ORDERFILE_PLATFORM_NO = $(PLATFORM_NAME)
    ORDERFILE_PLATFORM_YES = maccatalyst
    ORDERFILE_PLATFORM = $(ORDERFILE_PLATFORM_$(IS_MACCATALYST:default=NO))

    // Only for images: 'normal' is the build variant. OTHER_LDFLAGS would also reach the links by which Xcode
    // makes one object file of each package.
    OTHER_LDFLAGS_normal = $(inherited) "$(ORDERFILE_RUNTIME)/$(ORDERFILE_PLATFORM)/orderfile_rt.o"

    // The recorder needs 64-bit pointers, which watches have from watchOS 26 on.
    EXCLUDED_ARCHS[sdk=watchos*] = $(inherited) arm64_32 armv7k

    // Keeps the app out of archives, so that this build can't be uploaded. So build it with 'xcodebuild build':
    // an archive would be empty.
    SKIP_INSTALL = YES

    """
  }

  /// The settings file for the build that is ordered.
  package var order: String {
    """
    // Build settings for the release build, with an order file. Written by 'orderfile init --print xcode'.
    //
    //   XCODE_XCCONFIG_FILE=\(folder)/\(Self.orderName) xcodebuild -configuration Release …
    //
    // To keep the order, set Order File in the app target's Release configuration instead, to a committed file:
    // $(SRCROOT)/app.order. An order file affects only where the linker places functions. If the file is
    // missing, the link fails.

    ORDER_FILE = \(orderFile)

    // 'orderfile gen' reads the link map. By default Xcode writes it to
    // $(TARGET_TEMP_DIR)/$(PRODUCT_NAME)-LinkMap-$(CURRENT_VARIANT)-$(CURRENT_SLICE_UNVERSIONED).txt
    LD_GENERATE_MAP_FILE = YES

    """
  }

  /// The steps to take, as commands. Words in capitals are values that only the user knows.
  package var steps: String {
    """
    SCHEME, APP, BUNDLE (com.example.app) and DEVICE (its name or identifier) stand for your values. With
    CocoaPods, or if the folder has several projects, give xcodebuild '-workspace NAME.xcworkspace', too.

      folder=\(shellWord(folder))

    1. Build for recording. Never ship this build.

      XCODE_XCCONFIG_FILE=$folder/\(Self.recordName) \\
        xcodebuild build -scheme SCHEME -configuration Release \\
        -destination 'generic/platform=iOS' -derivedDataPath "$folder/record"

    2. Launch it, wait for its first screen, and fetch the trace from its container.

      A device must be unlocked. The copy does not overwrite a file, so choose a new name each time. Over Wi-Fi
      it can hang: stop it after 40 s, or use a cable.

      xcrun devicectl device install app --device DEVICE \\
        "$folder/record/Build/Products/Release-iphoneos/APP.app"
      xcrun devicectl device process launch --terminate-existing --device DEVICE \\
        --environment-variables '{"ORDERFILE_TRACE": "app.oftrace"}' BUNDLE
      xcrun devicectl device copy from --device DEVICE --domain-type appDataContainer \\
        --domain-identifier BUNDLE --source Documents/app.oftrace --destination app.oftrace

      On a simulator, built with -destination 'generic/platform=iOS Simulator':

      xcrun simctl install booted "$folder/record/Build/Products/Release-iphonesimulator/APP.app"
      SIMCTL_CHILD_ORDERFILE_TRACE=app.oftrace \\
        xcrun simctl launch --terminate-running-process booted BUNDLE
      cp "$(xcrun simctl get_app_container booted BUNDLE data)/Documents/app.oftrace" .

      On a Mac, built with -destination 'generic/platform=macOS':

      orderfile record -o app.oftrace -- \\
        "$folder/record/Build/Products/Release/APP.app/Contents/MacOS/APP"

    3. Build the release. The first time, the order file is empty, and the build writes the link map.

      XCODE_XCCONFIG_FILE=$folder/\(Self.orderName) \\
        xcodebuild build -scheme SCHEME -configuration Release \\
        -destination 'generic/platform=iOS' -derivedDataPath "$folder/order"

    4. Write the order file, then repeat step 3.

      orderfile gen app.oftrace \\
        --recorded "$folder/record/Build/Products/Release-iphoneos/APP.app/APP" \\
        --image "$folder/order/Build/Products/Release-iphoneos/APP.app/APP" \\
        --link-map "$folder"/order/Build/Intermediates.noindex/*.build/Release-iphoneos/APP.build/APP-LinkMap-normal-arm64.txt \\
        -o \(shellWord(orderFile))

    5. To keep the order, copy that file into the project, and set the build setting Order File of the
       Release configuration to it.

    """
  }
}
