import ApusClient
import Hummingbird
import LoopbackWeb

/// The routes of the HTTP listener: the API and the dashboard.
struct Dashboard {
    let http: HTTPAddress
    let secrets: GuardRules.Secrets

    func router(_ routes: Routes) -> Router<APIContext> {
        // 0.0.0.0 is an address to listen at, but not a name.
        let own = ["0.0.0.0", "::"].contains(http.host) ? "localhost" : http.host
        let rules = GuardRules(
            hosts: GuardRules.ownHosts(own, port: http.port).union(http.remoteNames), secureHosts: http.secureNames,
            secrets: secrets, cookieName: "apus_\(http.port)")
        let hint =
            "This browser does not know the token. Open the address with ?token= that `apus serve` printed."
        let router = routes.router(
            guardedBy: RequestGuard<APIContext>(rules: rules, entryHint: hint), feed: routes.events.http)
        router.addPage(WebFiles.all.map { Asset(name: $0.name, bytes: Array($0.text.utf8)) })
        router.refuseOtherMethods()
        return router
    }
}
