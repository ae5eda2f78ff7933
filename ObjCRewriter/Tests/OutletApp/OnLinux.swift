// SwiftPM leaves out a target without a source file of its own, so this file exists. Code that an app needs only on
// Linux belongs here.
