#ifndef CAPUS_H
#define CAPUS_H

#include "CApusCommand.h"
#include "CApusDBus.h"
#include "CApusLock.h"
#include "CApusMemory.h"
#include "CApusSignal.h"
#include "CApusSpawn.h"
#include "CApusThread.h"
#include "CApusTimers.h"

#endif
