// Signals as bytes in a pipe: a handler is not inherited by the programs that this process starts, as an ignored or
// blocked signal would be.

#ifndef CAPUS_SIGNAL_H
#define CAPUS_SIGNAL_H

/// Catches the signals from now on; every one that arrives is a byte with its number in the returned non-blocking
/// descriptor, which stays the process's: it is not closed. SIGHUP is left alone if it is ignored (nohup(1)). One catcher a process: -EBUSY while there is another.
/// Returns -errno when it fails.
int capus_signals_catch(const int *signals, int count);

/// Restores what the signals did before. Bytes that were not read are dropped by the next catcher.
void capus_signals_release(void);

#endif
