// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/stop_signals.h"

#include <csignal>
#include <initializer_list>

namespace tidemark {
namespace {

volatile std::sig_atomic_t received = 0;
volatile std::sig_atomic_t savepoints = 0;

extern "C" void count_savepoint(int) {
  savepoints = savepoints + 1;
}

extern "C" void count_signal(int signal) {
  received = received + 1;
  if (received >= 2) std::signal(signal, SIG_DFL);
}

}  // namespace

void install_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    action.sa_handler = count_signal;
    sigaction(signal, &action, nullptr);
  }
  // A reader that went away (`tidemark run ... | head`) is an error of a write, not a death.
  std::signal(SIGPIPE, SIG_IGN);
}

int stop_signals_received() noexcept {
  return received;
}

void install_savepoint_signal() {
  struct sigaction action {};
  action.sa_handler = count_savepoint;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

int savepoint_signals_received() noexcept {
  return savepoints;
}

}  // namespace tidemark
