// The modules `os`, `os.log`, `os.lock` and `os.signpost` of an app's target. They are a module of C, because only such
// a module can contain other modules. Their declarations are in SimulatedOSLog, which each file of such a target
// imports implicitly.
