// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options before the command name, as in {@code millrace -h cache -p 6380 load …}. */
@Command(name = "millrace")
final class LeadingArguments {

    @Mixin
    ConnectionArguments connection = new ConnectionArguments();

    @Option(names = "--help", usageHelp = true)
    boolean help;

    @Option(names = "--version", versionHelp = true)
    boolean version;

    /** The command name and all arguments after it. */
    @Parameters
    List<String> rest = List.of();
}
