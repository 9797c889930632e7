// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;

/** Arguments of {@code millrace demo} as typed. */
final class DemoArguments {

    final OptionGroup group = new OptionGroup("");

    final Option<Integer> rows = group.setting("--rows", "N", DemoRun.ROWS, WholeNumber::parseInt);

    final Option<Boolean> keep =
            group.flag("--keep", "Keep the server running until Enter or Ctrl-C, to look at the data.");

    final Option<Boolean> debug = group.flag("--debug", "Show the stack trace of an error.");

    final Option<Boolean> help = group.flag("--help", "Show this help.");

    List<OptionGroup> groups() {
        return List.of(group);
    }
}
