// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;

/** Options before the command name, as in {@code millrace -h cache -p 6380 load …}. */
final class LeadingArguments {

    final ConnectionArguments connection = new ConnectionArguments();

    final OptionGroup group = new OptionGroup("");

    final Option<Boolean> help = group.flag("--help", "Show this help.");

    final Option<Boolean> version = group.flag("--version", "Show the version.");

    List<OptionGroup> groups() {
        return List.of(connection.group, group);
    }
}
