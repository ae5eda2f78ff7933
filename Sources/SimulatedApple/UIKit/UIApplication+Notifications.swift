extension UIApplication {
    /// The app was launched; posted after its delegate was called.
    nonisolated public class var didFinishLaunchingNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidFinishLaunchingNotification")
    }
    /// The app has come to the front.
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }
    /// The app is about to be covered, or to leave the front.
    nonisolated public class var willResignActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    }
    /// The app is in the background.
    nonisolated public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }
    /// The app is about to leave the background.
    nonisolated public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    }
    /// The app is about to be ended, and runs.
    nonisolated public class var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillTerminateNotification")
    }
    /// The screen was locked: files of the protection class "complete" cannot be read soon.
    nonisolated public class var protectedDataWillBecomeUnavailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    }
    /// The screen was unlocked: such files can be read again.
    nonisolated public class var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    }
    /// `backgroundRefreshStatus` may be another one.
    nonisolated public class var backgroundRefreshStatusDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
    }
    /// Memory is low.
    nonisolated public class var didReceiveMemoryWarningNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
    }
    /// The clock was set. The simulation does not post it at midnight.
    nonisolated public class var significantTimeChangeNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationSignificantTimeChangeNotification")
    }
}
