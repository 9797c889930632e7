// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a request for a load changes in the options of its job.
 *
 * @param dryRun whether the load only reads and maps the rows
 * @param verify empty for the verification of the job
 */
public record LoadRequest(OptionalLong limit, boolean dryRun, Optional<Verification> verify) {

    /** Changes nothing, as a start by a timer. */
    public static final LoadRequest UNCHANGED = new LoadRequest(OptionalLong.empty(), false, Optional.empty());

    public LoadRequest {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(verify, "verify");
    }

    LoadOptions applied(LoadOptions job) {
        LoadOptions.Builder options = job.toBuilder();
        limit.ifPresent(options::limit);
        verify.ifPresent(options::verify);
        return (dryRun ? options.dryRun() : options).build();
    }
}
