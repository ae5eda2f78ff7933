#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusBackground
    import Foundation
    import UIKit

    /// What UIKit and Foundation say of the device, and when that changes. What they do not say is `nil`: the network and
    /// whether the device is in use.
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
                // Not every one of them is posted on the main thread.
                observers.observe(name) { _ in mainLoop.run { broadcast.set(Self.read()) } }
            }
        }

        private static var names: [Notification.Name] {
            // A suspended app may have missed changes.
            var names = [UIApplication.willEnterForegroundNotification]
            #if !os(tvOS)
                names += [UIDevice.batteryLevelDidChangeNotification, UIDevice.batteryStateDidChangeNotification]
            #endif
            // The simulated phone does not post them: there, what they are about is known with the next of the others.
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
                // -1 where there is no battery.
                conditions.batteryLevel = device.batteryLevel < 0 ? nil : Double(device.batteryLevel)
                conditions.isOnExternalPower =
                    switch device.batteryState {
                    case .charging, .full: true
                    case .unplugged: false
                    // Unknown.
                    default: nil
                    }
            #endif
            conditions.isLowPowerMode = ProcessInfo.processInfo.isLowPowerModeEnabled
            conditions.thermalState =
                switch ProcessInfo.processInfo.thermalState {
                case .nominal: .nominal
                case .fair: .fair
                case .serious: .serious
                // Critical, and any higher state of a later system.
                default: .critical
                }
            return conditions
        }
    }
#endif
