// Go makes system calls without libc, so its time stays the machine's.
package main

import "time"

func main() { time.Sleep(time.Millisecond) }
