#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import Foundation
    import UIKit

    /// The conditions of the device that UIKit and Foundation report, and their changes.
    ///
    /// The network, and whether the device is in use, are not reported and therefore `nil`.
    final class AppleConditions: Sendable {
        let broadcast: Broadcast<DeviceConditions>
        private let observers = NotificationObservers()

        @MainActor
        init(mainLoop: any MainLoop) {
            #if !os(tvOS)
                UIDevice.current.isBatteryMonitoringEnabled = true
            #endif
            let broadcast = Broadcast(Self.read(), mainLoop: mainLoop)
            self.broadcast = broadcast
            for name in Self.names {
                // Some of these notifications are posted on other threads, but UIKit must be read on the main thread.
                observers.observe(name) { _ in mainLoop.run { broadcast.set(Self.read()) } }
            }
        }

        private static var names: [Notification.Name] {
            // A suspended app may have missed changes, so the conditions are read again when it returns.
            var names = [UIApplication.willEnterForegroundNotification]
            #if !os(tvOS)
                names += [UIDevice.batteryLevelDidChangeNotification, UIDevice.batteryStateDidChangeNotification]
            #endif
            // The simulated phone does not post the following notifications. There, a change of the low-power mode or
            // the thermal state is noticed when one of the other notifications is posted.
            #if !os(Linux)
                names += [.NSProcessInfoPowerStateDidChange, ProcessInfo.thermalStateDidChangeNotification]
            #endif
            return names
        }

        @MainActor
        private static func read() -> DeviceConditions {
            var conditions = DeviceConditions()
            #if !os(tvOS)
                let device = UIDevice.current
                // UIKit reports -1 where there is no battery.
                conditions.batteryLevel = device.batteryLevel < 0 ? nil : Double(device.batteryLevel)
                conditions.isOnExternalPower =
                    switch device.batteryState {
                    case .charging, .full: true
                    case .unplugged: false
                    default: nil
                    }
            #endif
            conditions.isLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
            conditions.thermalState =
                switch ProcessInfo.processInfo.thermalState {
                case .nominal: .nominal
                case .fair: .fair
                case .serious: .serious
                // This is the critical state, or a higher one that a later system adds.
                default: .critical
                }
            return conditions
        }
    }
#endif
