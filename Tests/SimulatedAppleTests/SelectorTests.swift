#if os(Linux)
    import ApusDevice
    import ApusTestTraits
    import MediaPlayer
    import QuartzCore
    import SimulatedAppleCore
    import Testing
    import UIKit

    /// The names of the selectors in the form in which the plugin RewriteObjC writes them, with a number for each call
    /// in place of its line.
    private let selectors = SelectorNames([
        "1:1": "tick", "2:1": "tick(_:)", "3:1": "moved(by:with:)", "4:1": "count", "5:1": "posted(_:)",
        "6:1": "show(_:event:)",
        "7:1": "pause(_:)", "8:1": "framed(_:)", "9:1": "hide",
    ])

    /// Notes each call of its methods, and its deinitialization.
    private class Ticker: NSObject {
        var count = 7

        static let tick = selectors(Ticker.tick as (Ticker) -> () -> Void, line: 1, column: 1)
        static let tickWithTimer = selectors(Ticker.tick(_:) as (Ticker) -> (Timer) -> Void, line: 2, column: 1)
        static let moved = selectors(Ticker.moved(by:with:), line: 3, column: 1)
        static let counter = selectors(\Ticker.count, line: 4, column: 1)
        static let posted = selectors(Ticker.posted(_:), line: 5, column: 1)
        static let pause = selectors(Ticker.pause(_:), line: 7, column: 1)
        static let framed = selectors(Ticker.framed(_:), line: 8, column: 1)

        func tick() { note("tick") }
        func tick(_ timer: Timer) { note("tick with \(timer.userInfo ?? "nothing")") }
        func posted(_ notification: NSNotification) { note("posted \(notification.name.rawValue)") }
        func moved(by steps: NSNumber, with ticker: Ticker?) -> NSString {
            "\(steps) with \(ticker == nil ? "none" : "one")" as NSString
        }
        func framed(_ link: CADisplayLink) { note("frame") }
        func pause(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
            note("paused")
            return .commandFailed
        }

        func note(_ text: String) { SimulatedPhone.note(text) }
        deinit { SimulatedPhone.note("released") }
    }

    private final class OtherTicker: Ticker {
        override func tick() { note("other tick") }
    }

    @MainActor
    private final class Panel: UIView {
        static let show = selectors(Panel.show(_:event:), line: 6, column: 1)
        static let hide = selectors(Panel.hide, line: 9, column: 1)
        func show(_ sender: UIControl, event: UIEvent) { SimulatedPhone.note("shown by \(sender.tag)") }
        func hide() { SimulatedPhone.note("hidden") }
    }

    /// Runs a script at its launch.
    private final class ScriptDelegate: UIResponder, UIApplicationDelegate {
        private let script: @MainActor () -> Void
        init(_ script: @escaping @MainActor () -> Void) { self.script = script }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            script()
            return true
        }
    }

    @MainActor
    private func later(_ seconds: Double, _ work: @escaping @MainActor () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { MainActor.assumeIsolated { work() } }
    }

    @MainActor
    @Suite("Selectors, in an app's own process", .serialized, .simulatedPhone())
    struct SelectorTests {
        /// Returns the notes of an app's script after ten seconds.
        private func notes(
            expecting fault: Fault.Rule? = nil, _ program: @escaping @convention(c) () -> Void
        ) throws -> [String] {
            let device = try #require(SimulatedDevice.current)
            if let fault { device.expect(fault) }
            SimulatedPhone.install(on: device, program: program)
            device.launch()
            device.advance(by: .seconds(10))
            return device.notes
        }

        @Test("a timer calls a method with itself, and retains the object until it is invalidated")
        func repeatingTimer() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let timer = Timer.scheduledTimer(
                            timeInterval: 2, target: Ticker(), selector: Ticker.tickWithTimer, userInfo: "info",
                            repeats: true)
                        later(4.5) {
                            SimulatedPhone.note("end")
                            timer.invalidate()
                            SimulatedPhone.note("ended, with \(timer.userInfo ?? "nothing")")
                        }
                    })
            }
            #expect(notes == ["tick with info", "tick with info", "end", "released", "ended, with nothing"])
        }

        @Test("a timer that does not repeat releases its object after the call, which is an interval after it was made")
        func singleTimer() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let timer = Timer(
                            timeInterval: 2, target: Ticker(), selector: Ticker.tick, userInfo: nil, repeats: false)
                        RunLoop.main.add(timer, forMode: .common)
                        later(1) { SimulatedPhone.note("one second") }
                        later(3) { SimulatedPhone.note("\(timer.isValid)") }
                    })
            }
            #expect(notes == ["one second", "tick", "released", "false"])
        }

        @Test("the method of a subclass is called")
        func subclass() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let ticker = OtherTicker()
                        ticker.perform(Ticker.tick)
                        later(20) { _ = ticker }
                    })
            }
            #expect(notes == ["other tick"])
        }

        @Test("an observer is not retained, and is called until it is removed or released")
        func observers() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let center = NotificationCenter.default
                        let (first, second) = (Notification.Name("first"), Notification.Name("second"))
                        func post() {
                            SimulatedPhone.note("post")
                            center.post(name: first, object: center)
                            center.post(name: second, object: nil)
                        }
                        var ticker: Ticker? = Ticker()
                        center.addObserver(ticker!, selector: Ticker.posted, name: first, object: nil)
                        center.addObserver(ticker!, selector: Ticker.posted, name: second, object: nil)
                        center.addObserver(ticker!, selector: Ticker.tick, name: first, object: ticker)
                        post()
                        center.removeObserver(ticker!, name: second, object: nil)
                        post()
                        center.removeObserver(ticker!)
                        post()
                        center.addObserver(ticker!, selector: Ticker.tick, name: nil, object: center)
                        post()
                        ticker = nil
                        post()
                        let token = center.addObserver(forName: first, object: nil, queue: nil) { _ in
                            SimulatedPhone.note("block")
                        }
                        post()
                        center.removeObserver(token)
                        post()
                    })
            }
            #expect(
                notes == [
                    "post", "posted first", "posted second", "post", "posted first", "post", "post", "tick", "released",
                    "post", "post", "block", "post",
                ])
        }

        @Test("a delayed call retains its object, and is cancelled by the object, the method and the argument")
        func delayedCalls() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        Ticker().perform(Ticker.tick, with: nil, afterDelay: 2)
                        let other = OtherTicker()
                        other.perform(Ticker.tick, with: nil, afterDelay: 1)
                        other.perform(Ticker.tick, with: "kept", afterDelay: 3)
                        other.perform(Ticker.posted, with: nil, afterDelay: 4)
                        NSObject.cancelPreviousPerformRequests(withTarget: other, selector: Ticker.tick, object: nil)
                        later(3.5) { NSObject.cancelPreviousPerformRequests(withTarget: other) }
                    })
            }
            #expect(notes == ["tick", "released", "other tick", "released"])
        }

        @Test("a display link calls a method with itself, and retains the object until it is invalidated")
        func displayLink() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let link = CADisplayLink(target: Ticker(), selector: Ticker.framed)
                        link.preferredFramesPerSecond = 1
                        link.add(to: .main, forMode: .common)
                        later(2.5) { link.invalidate() }
                    })
            }
            #expect(notes.last == "released")
            #expect(notes.dropLast().allSatisfy { $0 == "frame" } && (2...3).contains(notes.count - 1))
        }

        @Test("a control calls each method once, and without an object the first responder that has it")
        func control() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let (panel, button, ticker, other) = (Panel(), UIButton(), Ticker(), OtherTicker())
                        panel.addSubview(button)
                        button.tag = 3
                        button.addTarget(nil, action: Panel.show, for: .touchUpInside)
                        for _ in 0..<2 { button.addTarget(ticker, action: Ticker.tick, for: .touchUpInside) }
                        button.addTarget(other, action: Ticker.tick, for: .touchUpInside)
                        button.sendActions(for: .touchUpInside)
                        SimulatedPhone.note("removed")
                        button.removeTarget(ticker, action: Ticker.tick, for: .touchDown)
                        button.removeTarget(nil, action: Panel.show, for: .allEvents)
                        button.sendActions(for: .touchUpInside)
                        button.removeTarget(nil, action: nil, for: .allEvents)
                        button.sendActions(for: .touchUpInside)
                        later(20) { _ = (ticker, other) }
                    })
            }
            #expect(notes == ["shown by 3", "tick", "other tick", "removed", "tick", "other tick"])
        }

        @Test("a command of the lock screen calls a method, of which the value is its status")
        func command() throws {
            let device = try #require(SimulatedDevice.current)
            SimulatedPhone.install(
                on: device,
                program: {
                    SimulatedPhone.run(
                        ScriptDelegate {
                            let (ticker, command) = (Ticker(), MPRemoteCommandCenter.shared().pauseCommand)
                            command.addTarget(ticker, action: Ticker.pause)
                            later(5) { command.removeTarget(ticker) }
                            later(20) { _ = ticker }
                        })
                })
            device.launch()
            SimulatedPhone.give(\.pauseCommand, on: device)
            #expect(device.notes == ["paused"])
            device.advance(by: .seconds(6))
            SimulatedPhone.give(\.pauseCommand, on: device)
            #expect(device.notes == ["paused"])
        }

        @Test("methods get as many arguments as they have parameters, and their objects are returned")
        func arguments() throws {
            let notes = try notes {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let ticker = Ticker()
                        SimulatedPhone.note("\(Ticker.moved(ticker, NSNumber(value: 2), nil, 5) ?? "nothing")")
                        SimulatedPhone.note("\(Ticker.moved(ticker, NSNumber(value: 2), ticker) ?? "nothing")")
                        SimulatedPhone.note("\(Ticker.counter(ticker) ?? "nothing")")
                        SimulatedPhone.note("\(ticker.responds(to: Panel.show)), \(ticker.responds(to: Ticker.tick))")
                    })
            }
            #expect(notes == ["2 with none", "2 with one", "7", "false, true", "released"])
        }

        @Test("selectors of the same base name and parameters are equal, and have the name that was written")
        func equality() {
            let again = selectors(OtherTicker.tick(_:) as (OtherTicker) -> (Timer) -> Void, line: 1, column: 1)
            #expect(again == Ticker.tickWithTimer && again.hashValue == Ticker.tickWithTimer.hashValue)
            #expect(Ticker.tick != Ticker.tickWithTimer && Ticker.tick != Ticker.counter)
            #expect("\(Ticker.tickWithTimer)" == "tick(_:)" && NSStringFromSelector(Ticker.moved) == "moved(by:with:)")
        }

        @Test("an object without the method is the fault that the phone's exception is")
        func unrecognized() throws {
            let notes = try notes(expecting: .unrecognizedSelector) {
                SimulatedPhone.run(ScriptDelegate { NSString("text").perform(Ticker.tick) })
            }
            #expect(notes.isEmpty)
            let device = try #require(SimulatedDevice.current)
            #expect(device.faults.map(\.message) == ["NSString has no method tick, which is a method of Ticker"])
            #expect(device.host == nil)
        }

        @Test("a method with another parameter than what it is called with is a fault")
        func wrongArgument() throws {
            let notes = try notes(expecting: .unrecognizedSelector) {
                SimulatedPhone.run(ScriptDelegate { Ticker().perform(Ticker.tickWithTimer, with: "text") })
            }
            #expect(notes.allSatisfy { $0 == "released" })
            let device = try #require(SimulatedDevice.current)
            #expect(
                device.faults.map(\.message) == ["Ticker.tick(_:) is called with String instead of Timer"])
        }

        @Test("in Swift 6 a method of the main actor traps on another thread")
        func isolation() throws {
            let notes = try notes(expecting: .appProcessCrash) {
                SimulatedPhone.run(
                    ScriptDelegate {
                        let panel = Panel()
                        panel.perform(Panel.hide)
                        let center = NotificationCenter.default
                        center.addObserver(panel, selector: Panel.hide, name: Notification.Name("x"), object: nil)
                        DispatchQueue.global().async {
                            SimulatedPhone.note("post")
                            NotificationCenter.default.post(name: Notification.Name("x"), object: nil)
                        }
                        later(20) { _ = panel }
                    })
            }
            #expect(notes == ["hidden", "post"])
        }
    }
#endif
