// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;

/** Arguments of {@code millrace doctor} as typed. */
final class DoctorArguments {

    /** The source and the target of the sample. SOURCE may be missing. */
    final LoadArguments load = new LoadArguments();

    final OptionGroup output = new OptionGroup("Output:");

    final Option<Boolean> json = output.flag("--json", "Print one JSON object.");

    final OptionGroup group = new OptionGroup("");

    final Option<Boolean> debug = group.flag("--debug", "Show the stack trace of an error.");

    final Option<Boolean> help = group.flag("--help", "Show this help.");

    /** All options, in the order of the help text. */
    List<OptionGroup> groups() {
        return List.of(load.target.group, load.from.group, load.connection.group, output, group);
    }
}
