#ifndef CAPUS_H
#define CAPUS_H

#include "CApusDBus.h"
#include "CApusPeer.h"
#include "CApusSignal.h"
#include "CApusTimers.h"

#endif
