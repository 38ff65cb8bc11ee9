/// The build settings with which Xcode builds what is recorded and what is ordered, and what to do with
/// them. <https://developer.apple.com/documentation/xcode/build-settings-reference>
///
/// They are made for the variable `XCODE_XCCONFIG_FILE`: a file that it names is on top of the settings of all
/// targets, those of CocoaPods and of packages too, and no project has to be changed. `$(inherited)` is what
/// the targets say.
package struct XcodeSettings: Sendable {
  /// Where both files are, absolute.
  package var folder: String
  /// Holds `iphoneos/orderfile_rt.o` and its like for the other platforms; absolute.
  package var runtime: String
  /// Absolute: a relative one would start from the folder of each project.
  package var orderFile: String

  package init(folder: String, runtime: String, orderFile: String) {
    self.folder = folder
    self.runtime = runtime
    self.orderFile = orderFile
  }

  package static let recordName = "orderfile-record.xcconfig"
  package static let orderName = "orderfile-order.xcconfig"

  /// Whether a settings file can say this path: `$` begins a setting there and `//` a comment.
  package static func canSay(_ path: String) -> Bool {
    !path.contains("$") && !path.contains("//") && !path.contains("\n") && !path.contains("\"")
  }

  /// The file by which the app is built that is recorded.
  package var record: String {
    """
    // For recording which functions a launch uses first. Written by 'orderfile flags xcode'.
    //
    // What is built with this must never ship: each function calls the recorder. So keep these settings out
    // of the project: name this file in the environment of the one command that needs it,
    //
    //   XCODE_XCCONFIG_FILE=\(folder)/\(Self.recordName) xcodebuild -configuration Release …
    //
    // or base a build configuration on it that is for this alone, a copy of Release. The optimizer's settings
    // must be those of Release. 'orderfile show IMAGE' says whether an image is instrumented.

    ORDERFILE_COVERAGE = func,trace-pc-guard,pc-table
    OTHER_CFLAGS = $(inherited) -fsanitize-coverage=$(ORDERFILE_COVERAGE)
    OTHER_CPLUSPLUSFLAGS = $(inherited) -fsanitize-coverage=$(ORDERFILE_COVERAGE)
    OTHER_SWIFT_FLAGS = $(inherited) -Xfrontend -sanitize=fuzzer -Xfrontend -sanitize-coverage=$(ORDERFILE_COVERAGE)

    // The recorder: iphoneos, iphonesimulator or macosx.
    ORDERFILE_RUNTIME = \(runtime)
    OTHER_LDFLAGS = $(inherited) "$(ORDERFILE_RUNTIME)/$(PLATFORM_NAME)/orderfile_rt.o"

    // An archive of this build does not contain the app, so that it can't be uploaded.
    SKIP_INSTALL = YES

    """
  }

  /// The file by which the app is built that is ordered.
  package var order: String {
    """
    // For the build to ship, in the order of a launch. Written by 'orderfile flags xcode'.
    //
    //   XCODE_XCCONFIG_FILE=\(folder)/\(Self.orderName) xcodebuild -configuration Release …
    //
    // To keep the order, set Order File in the project's Release configuration instead, to a file that is
    // committed: $(SRCROOT)/app.order. An order file is for the linker alone and changes nothing but places.

    ORDER_FILE = \(orderFile)

    // 'orderfile gen' reads the link map. By default Xcode writes it to
    // $(TARGET_TEMP_DIR)/$(PRODUCT_NAME)-LinkMap-$(CURRENT_VARIANT)-$(CURRENT_SLICE_UNVERSIONED).txt
    LD_GENERATE_MAP_FILE = YES

    """
  }

  /// What to do now, for people: the commands with words in capitals for what only they know.
  package var steps: String {
    """
    SCHEME, APP, BUNDLE (com.example.app) and DEVICE (its name or identifier) are yours.

      folder=\(shellWord(folder))

    1. Build for recording. This app must never ship.

      XCODE_XCCONFIG_FILE=$folder/\(Self.recordName) \\
        xcodebuild build -scheme SCHEME -configuration Release \\
        -destination 'generic/platform=iOS' -derivedDataPath "$folder/record"

    2. Launch it, wait for its first screen, and fetch the trace from its container.

      A device must be unlocked. A copy replaces no file, so name a new one each time; over the air it can hang:
      stop it after 40 s, or use a cable.

      xcrun devicectl device install app --device DEVICE \\
        "$folder/record/Build/Products/Release-iphoneos/APP.app"
      xcrun devicectl device process launch --terminate-existing --device DEVICE \\
        --environment-variables '{"ORDERFILE_TRACE": "app.oftrace"}' BUNDLE
      xcrun devicectl device copy from --device DEVICE --domain-type appDataContainer \\
        --domain-identifier BUNDLE --source Documents/app.oftrace --destination app.oftrace

      A simulator, of a build with -destination 'generic/platform=iOS Simulator':

      xcrun simctl install booted "$folder/record/Build/Products/Release-iphonesimulator/APP.app"
      SIMCTL_CHILD_ORDERFILE_TRACE=app.oftrace \\
        xcrun simctl launch --terminate-running-process booted BUNDLE
      cp "$(xcrun simctl get_app_container booted BUNDLE data)/Documents/app.oftrace" .

      A Mac, of a build with -destination 'generic/platform=macOS':

      orderfile record -o app.oftrace -- \\
        "$folder/record/Build/Products/Release/APP.app/Contents/MacOS/APP"

    3. Build to ship. The first time the order file is empty, and this makes the link map.

      XCODE_XCCONFIG_FILE=$folder/\(Self.orderName) \\
        xcodebuild build -scheme SCHEME -configuration Release \\
        -destination 'generic/platform=iOS' -derivedDataPath "$folder/order"

    4. Order, then repeat step 3.

      orderfile gen app.oftrace \\
        --recorded "$folder/record/Build/Products/Release-iphoneos/APP.app/APP" \\
        --image "$folder/order/Build/Products/Release-iphoneos/APP.app/APP" \\
        --link-map "$folder"/order/Build/Intermediates.noindex/*.build/Release-iphoneos/APP.build/APP-LinkMap-normal-arm64.txt \\
        -o \(shellWord(orderFile))

    5. To keep the order, copy that file into the project and name it in the build setting Order File of the
       Release configuration.

    """
  }
}
