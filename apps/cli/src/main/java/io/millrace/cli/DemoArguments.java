// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace demo}, as typed. */
@Command(
        name = "demo",
        customSynopsis = "millrace demo [--rows N] [--keep]",
        header = "Shows on a private Redis what loading is like.",
        description = {
            "",
            "Starts a private Redis, makes a SQLite database of customers, loads it, verifies all of it, and loads some of "
                    + "it one command at a time for comparison. Leaves nothing behind.",
            ""
        },
        sortOptions = false,
        usageHelpAutoWidth = true)
final class DemoArguments {

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Customers to make and load, 1 to 50000000. Default: ${DEFAULT-VALUE}.")
    int rows;

    @Option(names = "--keep", description = "Leave the server running until Enter or Ctrl-C, to look at the data.")
    boolean keep;

    @Option(names = "--debug", description = "Show the stack trace of an error.")
    boolean debug;

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    boolean help;
}
