// Reports signals as bytes in a pipe. Unlike an ignored or blocked signal, a handler is not inherited by the programs
// that this process starts.

#ifndef CAPUS_SIGNAL_H
#define CAPUS_SIGNAL_H

/// Catches the signals from now on, and returns a non-blocking descriptor; -errno if it fails.
///
/// For each signal that arrives, the descriptor contains a byte with the signal's number. The descriptor must not be
/// closed. SIGHUP is left alone if it is ignored (nohup(1)). A process has at most one catcher; the error is -EBUSY
/// while there is another one.
int capus_signals_catch(const int *signals, int count);

/// Restores the actions that the signals had before `capus_signals_catch`.
///
/// The next catcher drops bytes that were not read.
void capus_signals_release(void);

#endif
