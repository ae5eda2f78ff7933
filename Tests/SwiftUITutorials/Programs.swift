// What the tests call: the types above are as internal as in any app.

/// What runs on the simulated phone.
package enum Programs {
    package static func countdown() { CountdownApp.main() }
    package static func eggTimer() { EggTimerApp.main() }
    package static func journal() { JournalApp.main() }
    package static func news() { NewsApp.main() }
    package static func forgetfulNews() { ForgetfulNewsApp.main() }
    package static func deafNews() { DeafNewsApp.main() }
    package static func slowNews() { SlowNewsApp.main() }
}
