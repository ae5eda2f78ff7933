/// The umbrella that a test imports: virtual time, the simulated device, and what tests of job stores need.
@_exported public import ApusDevice
@_exported public import ApusJobsTesting
@_exported public import ApusVirtualTime
