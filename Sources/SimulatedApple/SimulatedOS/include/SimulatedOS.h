// The modules `os`, `os.log`, `os.lock` and `os.signpost` of an app's target. What they contain is in SimulatedOSLog,
// which each file of such a target imports without saying so: only a module of C can have others in it.
