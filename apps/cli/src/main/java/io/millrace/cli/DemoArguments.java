// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Arguments of {@code millrace demo} as typed. */
@Command(
        name = "demo",
        customSynopsis = "millrace demo [--rows N] [--keep]",
        header = "Demonstrates a load with a private Redis server.",
        description = {
            "",
            "Starts a private Redis server, creates a CSV file of customers, loads and verifies all rows, and "
                    + "loads some of them again, one command at a time, for comparison. Deletes everything at the end.",
            ""
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class DemoArguments {

    @Option(names = "--rows", paramLabel = "N", description = "${bundle:setting--rows}")
    Optional<Integer> rows = Optional.empty();

    @Option(names = "--keep", description = "Keep the server running until Enter or Ctrl-C, to look at the data.")
    boolean keep;

    @Option(names = "--debug", description = "Show the stack trace of an error.")
    boolean debug;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    boolean help;
}
