#pragma once
// A step of many that may fail: its error is the caller's.

#define SOJOURN_OR_RETURN(expression) \
  if (auto done = (expression); !done) return std::unexpected(done.error())
