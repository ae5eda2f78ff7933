#ifndef CAPUS_H
#define CAPUS_H

#include "CApusLock.h"
#include "CApusTimers.h"

#endif
