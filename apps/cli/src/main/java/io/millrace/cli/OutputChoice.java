// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.Optional;

/** Validated output options. */
record OutputChoice(ProgressStyle progress, boolean json, Optional<Path> report, boolean quiet) {

    /**
     * Validates {@code typed}.
     *
     * @throws UsageException if options contradict each other
     */
    static OutputChoice of(OutputArguments typed) {
        boolean wantsProgress = typed.progress.value().orElse(ProgressStyle.NONE) != ProgressStyle.NONE;
        if (typed.quiet.isTyped() && wantsProgress) {
            throw new UsageException("--quiet shows no progress. Leave out --quiet or --progress.");
        }
        ProgressStyle style = typed.quiet.isTyped()
                ? ProgressStyle.NONE
                : typed.progress.value().orElse(ProgressStyle.AUTO);
        return new OutputChoice(style, typed.json.isTyped(), typed.report.value(), typed.quiet.isTyped());
    }
}
