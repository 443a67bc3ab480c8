#pragma once
// Style of text for people.

namespace sojourn {

struct TextOptions {
  bool color = false;
  bool unicode = true;
};

}  // namespace sojourn
