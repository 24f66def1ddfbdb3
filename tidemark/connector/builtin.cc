// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/builtin.h"

#include "tidemark/connector/filesystem/filesystem.h"

namespace tidemark {

ConnectorRegistry make_builtin_connectors(std::ostream& print_to) {
  static_cast<void>(print_to);
  ConnectorRegistry registry;
  registry.add(make_filesystem_connector());
  return registry;
}

}  // namespace tidemark
