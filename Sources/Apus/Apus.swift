/// The module that gives an app timers, background execution and jobs with one import.
///
/// Stores, hosts, the test kit and the daemon are separate products.
@_exported public import ApusBackground
@_exported public import ApusJobs
@_exported public import ApusTimers
