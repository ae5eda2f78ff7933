// SwiftPM leaves out a target without a source of its own; what an app needs on Linux only has its place here.
