// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.ClientOptions;
import io.millrace.client.command.Fusion;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.RowSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The validated arguments of {@code millrace load} or {@code millrace verify}. {@link LoadRun} executes the request.
 *
 * @param verifies whether the rows are only compared, and not written
 * @param readsStandardInput whether the rows are read from standard input
 * @param explain whether to print the first commands instead of executing the load
 * @param warnings messages for the user, printed before the load
 */
record LoadRequest(
        boolean verifies,
        LoadPlan plan,
        boolean readsStandardInput,
        ClientOptions redis,
        OutputChoice output,
        boolean explain,
        List<String> warnings) {

    /**
     * Maximum connect timeout. A connect cannot be interrupted, so the connect must end within {@link
     * LoadRun#DRAIN_LIMIT}.
     */
    static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

    private static void checkOrder(LoadArguments typed) {
        if (typed.job.checkpoint.isTyped() && typed.from.readers.isTyped()) {
            throw new UsageException("--checkpoint needs the same order of the rows each time, and --readers reads them"
                    + " in any order. Leave out one of these options.");
        }
    }

    /**
     * Validates the arguments. Reads password files, and reads standard input if it contains the password. Opens no
     * other file and no connection.
     *
     * @throws UsageException if options are missing, out of range or contradict each other
     */
    static LoadRequest of(LoadArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        boolean standardInput = typed.source.equals("-");
        if (standardInput && typed.connection.passwordStdin.isTyped()) {
            throw new UsageException(
                    "standard input cannot contain both the rows and, with --password-stdin, the password. "
                            + "Use --password-file or REDISCLI_AUTH.");
        }
        checkOrder(typed);
        LoadOptions options = typed.verifies
                ? JobChoice.ofVerification(typed.job)
                : JobChoice.of(typed.job, typed.target.key.value().orElse(""));
        if (standardInput && !typed.verifies && !options.verify().equals(Verification.NONE)) {
            throw new UsageException(
                    "--verify reads the source a second time, and standard input can be read only once. "
                            + "Load from a file, or leave out --verify.");
        }
        OutputChoice output = OutputChoice.of(typed.output);
        if (typed.job.explain.isTyped()
                && (output.json()
                        || output.report().isPresent()
                        || options.rejects().isPresent())) {
            throw new UsageException(
                    "--explain prints commands and writes no report: leave out --json, --report and " + "--rejects.");
        }
        var target = typed.target.target();
        SourceChoice source = SourceChoice.of(typed.source, typed.from, standardStreams, secretMasker);
        OutputFiles.check(source.files(), options.rejects(), options.differences(), output.report());
        ServerChoice server = ServerChoice.of(typed.connection, standardStreams, secretMasker);
        List<String> warnings = new ArrayList<>(server.warnings());
        warnings.addAll(source.warnings());
        return new LoadRequest(
                typed.verifies,
                new LoadPlan(source.source(), target, options),
                standardInput,
                client(server, options, typed.job.timeout.value()),
                output,
                typed.job.explain.isTyped(),
                warnings);
    }

    /** The same request with another source object for the same source. */
    LoadRequest withSource(RowSource source) {
        return new LoadRequest(
                verifies,
                new LoadPlan(source, plan.target(), plan.options()),
                readsStandardInput,
                redis,
                output,
                explain,
                warnings);
    }

    /** Returns the client options. If {@code --timeout} is given, a connect has the same timeout, but at most 10 s. */
    private static ClientOptions client(ServerChoice server, LoadOptions options, Optional<Duration> typedTimeout) {
        ClientOptions.Builder client = server.client()
                .connections(1)
                .commandTimeout(options.timeout())
                .inFlight(options.inFlight())
                .inFlightBytes(options.inFlightBytes())
                .fusion(options.fusion() ? Fusion.ALL_EXACT : Fusion.NONE);
        typedTimeout.ifPresent(
                typed -> client.connectTimeout(typed.compareTo(LONGEST_CONNECT) < 0 ? typed : LONGEST_CONNECT));
        return client.build();
    }
}
