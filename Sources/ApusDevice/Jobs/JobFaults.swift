extension Fault.Rule {
    /// A handler was registered when the app's launch was over.
    ///
    /// NSInternalInconsistencyException, "All launch handlers must be registered before application finishes launching":
    /// github.com/microsoftconnect/ms-intune-app-sdk-ios/issues/132; BGTaskScheduler.h
    public static let lateLaunchHandler = Fault.Rule("NSInternalInconsistencyException.lateLaunchHandler")

    /// A second handler was registered for an identifier.
    ///
    /// "Launch handler for task with identifier X has already been registered":
    /// github.com/transistorsoft/transistor-background-fetch/issues/14; BGTaskScheduler.h: the app is killed
    public static let duplicateLaunchHandler = Fault.Rule("NSInternalInconsistencyException.duplicateLaunchHandler")

    /// A request was submitted for whose identifier there is no handler.
    ///
    /// "No launch handler registered for task with identifier X":
    /// github.com/wordpress-mobile/WordPress-iOS/issues/18156
    public static let noLaunchHandler = Fault.Rule("NSInternalInconsistencyException.noLaunchHandler")

    /// A background job was not completed when its time was over.
    ///
    /// Apple, documentation/backgroundtasks/bgtask/settaskcompleted(success:)
    public static let jobNotCompleted = Fault.Rule("jobNotCompleted")

    /// The app computed for too long in the background.
    ///
    /// github.com/transistorsoft/react-native-background-fetch/issues/323
    public static let tooMuchCPU = Fault.Rule("tooMuchCPU")
}
