#ifndef CAPUS_H
#define CAPUS_H

#include "CApusDBus.h"
#include "CApusLock.h"
#include "CApusSignal.h"
#include "CApusSpawn.h"
#include "CApusTimers.h"

#endif
