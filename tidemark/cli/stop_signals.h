// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tidemark {

/// Counts SIGINT and SIGTERM instead of dying of them. The first asks for an orderly stop; the
/// second restores the default, so that a third ends the process whatever it is doing.
void install_stop_signals();

/// How many have come.
int stop_signals_received() noexcept;

/// Counts SIGUSR1, which asks for a savepoint, instead of dying of it.
void install_savepoint_signal();
int savepoint_signals_received() noexcept;

}  // namespace tidemark
