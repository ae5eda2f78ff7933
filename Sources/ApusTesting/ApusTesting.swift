/// The module that tests import; it re-exports virtual time, the simulated device, and the support for tests of job
/// stores.
@_exported public import ApusDevice
@_exported public import ApusJobsTesting
@_exported public import ApusVirtualTime
