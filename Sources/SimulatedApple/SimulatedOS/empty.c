#include "SimulatedOS.h"
