// The part of the app that needs UIKit. The tests of orderfile run on Linux, without Apple's SDK: there, this file is
// empty.

#if __has_include(<UIKit/UIKit.h>)
#import <UIKit/UIKit.h>
#import "Launch.h"

@interface AppDelegate : UIResponder <UIApplicationDelegate>
@property(nonatomic, strong) UIWindow *window;
@end

@implementation AppDelegate
- (BOOL)application:(UIApplication *)application
    didFinishLaunchingWithOptions:(NSDictionary *)options {
  UILabel *label = [[UILabel alloc] init];
  label.text = [NSString stringWithFormat:@"%d", [[[Launch alloc] init] run]];
  label.textAlignment = NSTextAlignmentCenter;
  UIViewController *controller = [[UIViewController alloc] init];
  controller.view = label;
  self.window = [[UIWindow alloc] initWithFrame:UIScreen.mainScreen.bounds];
  self.window.rootViewController = controller;
  [self.window makeKeyAndVisible];
  return YES;
}
@end
#endif
