#pragma once
// A step that may fail: its error becomes the caller's.

#define SOJOURN_OR_RETURN(expression) \
  if (auto done = (expression); !done) return std::unexpected(done.error())
