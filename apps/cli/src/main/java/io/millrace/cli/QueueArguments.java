// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.queue.QueuePart;
import java.util.ArrayList;
import java.util.List;

/** Arguments of {@code millrace queue} as typed. */
final class QueueArguments {

    static final Setting<Integer> LIMIT =
            new Setting<>("limit", 1, 100_000, 10, Unit.COUNT, "Maximum number of jobs of peek, dead and redrive.");

    /** The ACTION and NAME arguments. */
    final List<String> operands = new ArrayList<>();

    final ConnectionArguments connection = new ConnectionArguments();

    final OptionGroup group = new OptionGroup("Queue:");

    final Option<Integer> limit = group.setting(
            "--limit",
            "N",
            LIMIT,
            WholeNumber::parseInt,
            help -> help + " Without this option, redrive moves all dead jobs.");

    final Option<String> id = group.text(
            "--id", "ID", "Redrive only the dead job with this id. For a stream, the ID of the dead letter.");

    final Option<QueuePart> part = group.word(
            "--part",
            "PART",
            "part of a queue",
            QueuePart.class,
            "The part that purge removes: waiting, delayed or dead. Running and recurring jobs stay. A stream has only "
                    + "the part dead.");

    final Option<Boolean> json = group.flag("--json", "Print the result as one JSON object.");

    final OptionGroup common = new OptionGroup("");

    final Option<Boolean> debug = common.flag("--debug", "Show the stack trace of an error.");

    final Option<Boolean> help = common.flag("--help", "Show this help.");

    List<OptionGroup> groups() {
        return List.of(group, connection.group, common);
    }
}
