#pragma once
// All of libsojourn.

#include <sojourn/distribution.h>
#include <sojourn/result.h>
#include <sojourn/round_trips.h>
#include <sojourn/two_points.h>
#include <sojourn/types.h>
#include <sojourn/units.h>
#include <sojourn/version.h>
