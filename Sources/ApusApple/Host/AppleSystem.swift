#if os(iOS) || os(tvOS) || os(visionOS) || os(Linux)
    import ApusDevice
    import ApusBackground
    import ApusTimers

    #if os(Linux)
        import ApusVirtualTime
        import SimulatedAppleCore
    #else
        import Darwin
        import Foundation
    #endif

    /// What the process runs on, where nothing else was asked for: the system's own clocks and threads on Apple's systems,
    /// on Linux those of the running process of the simulated phone. So an app's code is the same on both.
    struct AppleSystem: Sendable {
        var engine: TimerEngine
        var mainLoop: any MainLoop
        var bootID: String?
        var start: @Sendable (@escaping @Sendable () async -> Void) -> Void

        #if os(Linux)
            static var current: AppleSystem {
                let host = SimulatedPhone.process.host
                return AppleSystem(engine: host.engine, mainLoop: host.mainLoop, bootID: host.bootID) { host.start($0) }
            }

            /// What the app declares in `UIBackgroundModes`.
            static var declaredModes: Set<String> {
                Set(SimulatedPhone.process.host.manifest.backgroundModes.map(\.rawValue))
            }
        #else
            static var current: AppleSystem {
                AppleSystem(engine: .shared, mainLoop: AppleMainLoop(), bootID: bootSessionID) { work in
                    Task { await work() }
                }
            }

            /// What the app declares in `UIBackgroundModes`.
            static var declaredModes: Set<String> {
                Set(Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String] ?? [])
            }

            /// The kernel's name for this start of the device; `nil` where an app may not read it.
            private static var bootSessionID: String? {
                var size = 0
                guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else { return nil }
                var bytes = [UInt8](repeating: 0, count: size)
                guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
                return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        #endif
    }
#endif
