// Shown: simulated-apple-app
import UIKit

class UploadAppDelegate: UIResponder, UIApplicationDelegate {
    var upload = UIBackgroundTaskIdentifier.invalid

    func applicationDidEnterBackground(_ application: UIApplication) {
        upload = application.beginBackgroundTask(withName: "upload") {
            print("no more time")
        }
    }
}
// Shown: end
