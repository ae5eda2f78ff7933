import ApusBackground
import ApusDevice
import SimulatedAppleCore

extension UIApplication {
    /// Asks for pushes. The delegate gets a token, made up and the same each time, in the next turn of the main loop, unless
    /// the user has switched background refresh off and does not allow notifications. What a server would send comes by
    /// `SimulatedDevice.receivePush`. Pushes that show something are not simulated.
    ///
    /// Apple, UIApplication.h
    public func registerForRemoteNotifications() {
        process.pushes.isRegistered = true
        host.mainLoop.run { [weak self] in
            guard let self, process.settings.isBackgroundRefreshOn || allowsNotifications else { return }
            let token = Data((0..<32).map { UInt8($0) })
            delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
        }
    }

    private var allowsNotifications: Bool {
        switch process.notifications.authorization {
        case .authorized, .provisional: true
        case .notDetermined, .denied: false
        }
    }

    /// Asks for no more pushes.
    public func unregisterForRemoteNotifications() { process.pushes.isRegistered = false }

    /// Whether the app has asked for pushes, in this process or an earlier one.
    public var isRegisteredForRemoteNotifications: Bool { process.pushes.isRegistered }

    /// Hands a push to the delegate, which says when it has handled it.
    func receive(_ push: SilentPush) {
        guard let delegate else { return process.pushes.complete(push.number) }
        var userInfo: [AnyHashable: Any] = ["aps": ["content-available": 1]]
        for (key, value) in push.fields { userInfo[key] = value }
        delegate.application(self, didReceiveRemoteNotification: userInfo) { [process] _ in
            process.pushes.complete(push.number)
        }
    }
}
