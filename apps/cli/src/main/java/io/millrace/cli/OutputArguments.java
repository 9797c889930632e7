// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;

/** Output options as typed. */
final class OutputArguments {

    final OptionGroup group = new OptionGroup("Output:");

    final Option<ProgressStyle> progress = group.word(
            "--progress",
            "STYLE",
            "progress",
            ProgressStyle.class,
            "Progress on standard error: auto, bar, log, ndjson or none. Default: auto, which is bar on a "
                    + "terminal and log elsewhere.");

    final Option<Boolean> json = group.flag("--json", "Print only the report, as one JSON object, on standard output.");

    final Option<Path> report = group.file("--report", "Write the JSON report to a file.");

    final Option<Boolean> quiet = group.flag(
            "--quiet", "Print only warnings and errors on standard error: no progress and no rejected rows.");
}
