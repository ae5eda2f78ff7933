// On Apple's systems these are Foundation's. On Linux requests and responses are those of FoundationNetworking, of which the
// rest is not exported: it has sessions of the same names, which use the machine's network.
@_exported public import Foundation

@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import struct FoundationNetworking.URLRequest
@_exported public import class FoundationNetworking.URLResponse
