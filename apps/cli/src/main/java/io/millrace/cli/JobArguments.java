// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** How the job is run, as typed. */
final class JobArguments {

    static final class OnErrorText implements ITypeConverter<OnError> {
        @Override
        public OnError convert(String text) {
            return new WordText<>("way to treat errors", OnError.class).convert(text);
        }
    }

    @Option(names = "--connections", paramLabel = "N", description = "Connections to the server. Default: 1.")
    Optional<Integer> connections = Optional.empty();

    @Option(names = "--in-flight", paramLabel = "N", description = "Commands in flight per connection. Default: 16384.")
    Optional<Integer> inFlight = Optional.empty();

    @Option(
            names = "--in-flight-bytes",
            paramLabel = "SIZE",
            converter = SizeText.class,
            description = "Bytes in flight per connection. Default: 8MB.")
    Optional<Long> inFlightBytes = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationText.class,
            description =
                    "Longest wait for the reply to a command, 1ms to 10m. Default: 60s. If given, it is the longest wait "
                            + "for a connection too, up to 10s; otherwise 2s.")
    Optional<Duration> timeout = Optional.empty();

    @Option(names = "--limit", paramLabel = "ROWS", description = "Read so many rows and no more.")
    Optional<Long> limit = Optional.empty();

    @Option(names = "--dry-run", description = "Read and map every row, but contact no Redis.")
    boolean dryRun;

    @Option(
            names = "--explain",
            description = "Print the first commands that would be sent, contact no Redis, and end.")
    boolean explain;

    @Option(
            names = "--no-fusion",
            description =
                    "Send the command of every row by itself. Otherwise those of adjacent rows go out as one where "
                            + "that only costs the server less; behind a proxy that splits commands of several keys it must be off.")
    boolean noFusion;

    @Option(
            names = "--on-error",
            paramLabel = "stop|skip",
            converter = OnErrorText.class,
            description = "What a rejected row means for the job. Default: skip.")
    Optional<OnError> onError = Optional.empty();

    @Option(names = "--max-errors", paramLabel = "N", description = "Stop when more rows than this are rejected.")
    Optional<Long> maxErrors = Optional.empty();

    @Option(
            names = "--rejects",
            paramLabel = "FILE",
            description = "Write rejected rows here, as JSON lines: where, why, and the row.")
    Optional<Path> rejects = Optional.empty();

    @Option(
            names = "--verify",
            paramLabel = "SHARE",
            converter = VerificationText.class,
            description = "Read the source again and compare: none, sample:1%%, full. Default: none.")
    Optional<Verification> verify = Optional.empty();
}
