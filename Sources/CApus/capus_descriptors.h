// Serves the sources of this module that start programs.

#ifndef CAPUS_DESCRIPTORS_H
#define CAPUS_DESCRIPTORS_H

/// Marks every descriptor from `first` on to be closed by exec.
///
/// The function is async-signal-safe.
void capus_close_on_exec_from(int first);

#endif
