// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/builtin.h"

#include <iostream>

#include "tidemark/connector/blackhole/blackhole.h"
#include "tidemark/connector/datagen/datagen.h"
#include "tidemark/connector/filesystem/filesystem.h"
#include "tidemark/connector/print/print.h"

namespace tidemark {

ConnectorRegistry make_builtin_connectors(std::ostream& print_to) {
  ConnectorRegistry registry;
  registry.add(make_filesystem_connector());
  registry.add(make_datagen_connector());
  registry.add(make_print_connector(print_to, std::cerr));
  registry.add(make_blackhole_connector());
  return registry;
}

}  // namespace tidemark
