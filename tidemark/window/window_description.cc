// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_description.h"

namespace tidemark {
namespace {

Error refuse(const std::string& message) {
  return Error{ErrorCode::kInvalidOption, message};
}

std::string millis(Millis value) {
  return std::to_string(value) + " ms";
}

Status check_offset(const WindowDescription& window) {
  const bool sliding = window.shape == WindowShape::kSliding;
  const Millis bound = sliding ? window.slide : window.size;
  if (window.offset > -bound && window.offset < bound) return {};
  return refuse("the window offset is " + millis(window.offset) + "; it must be less than the " +
                (sliding ? "slide" : "size") + " of " + millis(bound) + ", forwards or backwards");
}

}  // namespace

Status validate(const WindowDescription& window) {
  const char* const slide = window.shape == WindowShape::kSliding ? "slide" : "step";
  if (window.size <= 0)
    return refuse("the window size is " + millis(window.size) + "; it must be > 0");
  if (window.slide <= 0)
    return refuse(std::string("the window ") + slide + " is " + millis(window.slide) +
                  "; it must be > 0");
  if (window.size / window.slide > kMostWindowsOfARow)
    return refuse("the window size of " + millis(window.size) + " is more than " +
                  std::to_string(kMostWindowsOfARow) + " times its " + slide + " of " +
                  millis(window.slide));
  if (window.shape == WindowShape::kCumulating && window.size % window.slide != 0)
    return refuse("the window size is " + millis(window.size) +
                  "; windows that grow by a step need a multiple of it, which is " +
                  millis(window.slide));
  TIDEMARK_TRY(check_offset(window));
  if (window.allowed_lateness < 0)
    return refuse("the allowed lateness is " + millis(window.allowed_lateness) +
                  "; it must be >= 0");
  return {};
}

std::string to_string(const WindowDescription& window) {
  const bool sliding = window.shape == WindowShape::kSliding;
  return (sliding ? "windows of " : "windows of up to ") + millis(window.size) +
         (sliding ? " every " : " growing by ") + millis(window.slide) + " from " +
         millis(window.offset);
}

}  // namespace tidemark
