#import <objc/NSObject.h>

// The part of the app that needs no UIKit.
@interface Launch : NSObject
- (int)run;
- (void)logOut;
@end
