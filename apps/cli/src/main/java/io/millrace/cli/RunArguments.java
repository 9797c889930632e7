// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Arguments of {@code millrace run} as typed. */
final class RunArguments {

    /** The action after a job with another exit code than 0. */
    enum OnFailure {
        STOP,
        CONTINUE
    }

    /** The FILE argument. */
    final List<String> operands = new ArrayList<>();

    final OptionGroup group = new OptionGroup("Run:");

    final Option<List<String>> only =
            group.list("--only", "JOB,…", "Run only these jobs, in the order of the file. Default: all jobs.");

    final Option<OnFailure> onFailure = group.word(
            "--on-failure",
            "stop|continue",
            "way to treat failures",
            OnFailure.class,
            "Whether a job with another exit code than 0 ends the run, or the next job follows. Default: stop.");

    final Option<Boolean> dryRun =
            group.flag("--dry-run", "Read and map the rows of each job, but do not contact Redis.");

    final Option<Boolean> json = group.flag(
            "--json",
            "Print only JSON lines on standard output: the report of each load, and then the sum of all loads.");

    final Option<Path> report = group.file("--report", "Write the JSON lines to a file.");

    final Option<Boolean> quiet = group.flag(
            "--quiet", "Print only warnings and errors on standard error: no progress and no rejected rows.");

    final OptionGroup common = new OptionGroup("");

    final Option<Boolean> debug = common.flag("--debug", "Show the stack trace of an error.");

    final Option<Boolean> help = common.flag("--help", "Show this help.");

    List<OptionGroup> groups() {
        return List.of(group, common);
    }
}
