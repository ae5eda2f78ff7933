/// The umbrella that an app imports: timers, background execution and jobs. Stores, hosts, the test kit and the
/// daemon are products of their own.
@_exported public import ApusBackground
@_exported public import ApusJobs
@_exported public import ApusTimers
