// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.ClientOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The validated arguments of {@code millrace doctor}. {@link DoctorRun} executes the request.
 *
 * @param plan the load whose memory is measured; empty if no source was named
 * @param warnings messages for the user
 */
record DoctorRequest(ClientOptions redis, Optional<LoadPlan> plan, boolean json, List<String> warnings) {

    /** Longest time for which the client repeats a command that a busy server refuses. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    /**
     * Validates the arguments. Reads password files. Opens no source and no connection.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    static DoctorRequest of(DoctorArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        List<String> warnings = new ArrayList<>();
        Optional<LoadPlan> plan = plan(typed.load, standardStreams, secretMasker, warnings);
        ServerChoice server = ServerChoice.of(typed.load.connection, standardStreams, secretMasker);
        warnings.addAll(server.warnings());
        ClientOptions redis =
                server.client().connections(1).commandTimeout(COMMAND_TIMEOUT).build();
        return new DoctorRequest(redis, plan, typed.json.isTyped(), warnings);
    }

    private static Optional<LoadPlan> plan(
            LoadArguments typed, StandardStreams standardStreams, SecretMasker secretMasker, List<String> warnings) {
        if (typed.source.isEmpty()) {
            List<String> idle = new ArrayList<>(typed.target.group.typedNames());
            idle.addAll(typed.from.group.typedNames());
            if (!idle.isEmpty()) {
                throw new UsageException(
                        String.join(", ", idle) + " has a meaning only with a SOURCE. Name the source.");
            }
            return Optional.empty();
        }
        if (typed.source.equals("-")) {
            throw new UsageException(
                    "the sample is read twice, and standard input can be read only once. Name a file or a database.");
        }
        var target = typed.target.target();
        SourceChoice source = SourceChoice.of(typed.source, typed.from, standardStreams, secretMasker);
        warnings.addAll(source.warnings());
        return Optional.of(new LoadPlan(source.source(), target, LoadOptions.defaults()));
    }
}
