// These types belong to Foundation on Apple's systems. On Linux, requests and responses are those of
// FoundationNetworking. The rest of that module is not exported, because its sessions have the same names and use the
// machine's network.
@_exported public import Foundation

@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import struct FoundationNetworking.URLRequest
@_exported public import class FoundationNetworking.URLResponse
