// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Arguments of {@code millrace} without a command, for its help and its version. */
@Command(
        name = "millrace",
        customSynopsis = "millrace COMMAND [options]",
        description = {
            "",
            "Moves data into Redis as fast as Redis accepts it, and reports the outcome of every row and command.",
            ""
        },
        commandListHeading = "%nCommands:%n",
        subcommands = {LoadArguments.class, DemoArguments.class},
        usageHelpAutoWidth = true,
        footer = {
            "",
            "For the options and exit codes of a load, see millrace load --help.",
            "In a source tree, ./millrace lab measures ways to use Redis with Millrace and with seven other clients",
            "(lab --help), and ./millrace bench compares Millrace with redis-cli --pipe, Jedis and Lettuce."
        })
final class MillraceArguments {

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    boolean version;
}
