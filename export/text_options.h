#pragma once
// How text for people may look.

namespace sojourn {

struct TextOptions {
  bool color = false;
  bool unicode = true;
};

}  // namespace sojourn
