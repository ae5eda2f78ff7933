#ifndef CAPUS_H
#define CAPUS_H

#include "CApusTimers.h"

#endif
