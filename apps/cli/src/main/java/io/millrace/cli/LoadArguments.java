// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;

/** Arguments of {@code millrace load} or {@code millrace verify} as typed. */
final class LoadArguments {

    /** Whether the command is {@code verify}, which has some of the options of {@code load}. */
    final boolean verifies;

    /** The first SOURCE argument. {@link SourceArguments#moreFiles} has the others. */
    String source = "";

    private boolean named;

    final TargetArguments target = new TargetArguments();

    final SourceArguments from = new SourceArguments();

    final ConnectionArguments connection = new ConnectionArguments();

    final JobArguments job = new JobArguments();

    final OutputArguments output = new OutputArguments();

    final OptionGroup group = new OptionGroup("");

    final Option<Boolean> debug = group.flag("--debug", "Show the stack trace of an error.");

    final Option<Boolean> help = group.flag("--help", "Show this help.");

    /** Creates the arguments of {@code millrace load}. */
    LoadArguments() {
        this(false);
    }

    LoadArguments(boolean verifies) {
        this.verifies = verifies;
    }

    /** The command with its name, for messages. */
    String command() {
        return verifies ? "millrace verify" : "millrace load";
    }

    /** Adds a SOURCE argument. A name that was added before is ignored. */
    void addSource(String name) {
        if (!named) {
            source = name;
            named = true;
        } else if (!source.equals(name) && !from.moreFiles.contains(name)) {
            from.moreFiles.add(name);
        }
    }

    /** All options, in the order of the help text. */
    List<OptionGroup> groups() {
        OptionGroup ofJob = verifies ? job.ofVerification : job.group;
        return List.of(target.group, from.group, connection.group, ofJob, output.group, group);
    }
}
