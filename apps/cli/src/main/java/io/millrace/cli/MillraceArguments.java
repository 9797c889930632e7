// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace} without a command: its help and its version. */
@Command(
        name = "millrace",
        customSynopsis = "millrace COMMAND [options]",
        description = {
            "",
            "Moves data into Redis at the speed Redis can take it, and says what became of every row and every command.",
            ""
        },
        commandListHeading = "%nCommands:%n",
        subcommands = {LoadArguments.class, DemoArguments.class},
        usageHelpAutoWidth = true,
        footer = {
            "",
            "millrace load --help explains loading, its options and its exit codes.",
            "In a source tree, ./millrace lab measures ways of talking to Redis, here and with seven clients (lab --help),",
            "and ./millrace bench compares with redis-cli --pipe, Jedis and Lettuce."
        })
final class MillraceArguments {

    @Option(names = "--help", usageHelp = true, description = "Show this help.")
    boolean help;

    @Option(names = "--version", versionHelp = true, description = "Show the version.")
    boolean version;
}
