// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** The typed options of {@code millrace load} that control the run. */
final class JobArguments {

    static final class OnErrorText implements ITypeConverter<OnError> {
        @Override
        public OnError convert(String text) {
            return new EnumConverter<>("way to treat errors", OnError.class).convert(text);
        }
    }

    @Option(names = "--connections", paramLabel = "N", description = "${bundle:setting--connections}")
    Optional<Integer> connections = Optional.empty();

    @Option(names = "--in-flight", paramLabel = "N", description = "${bundle:setting--in-flight}")
    Optional<Integer> inFlight = Optional.empty();

    @Option(
            names = "--in-flight-bytes",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "${bundle:setting--in-flight-bytes}")
    Optional<Long> inFlightBytes = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "${bundle:setting--timeout} A connect has the same timeout, but at most "
                    + "${bundle:longest.connectTimeout}. Without this option, a connect has a timeout of "
                    + "${bundle:default.connectTimeout}.")
    Optional<Duration> timeout = Optional.empty();

    @Option(names = "--limit", paramLabel = "ROWS", description = "${bundle:setting--limit}")
    Optional<Long> limit = Optional.empty();

    @Option(names = "--dry-run", description = "Read and map every row, but do not contact Redis.")
    boolean dryRun;

    @Option(names = "--explain", description = "Print the first commands, do not contact Redis, and end.")
    boolean explain;

    @Option(
            names = "--no-fusion",
            description =
                    "Send the command of every row separately. Without this option, the commands of adjacent rows are "
                            + "sent as one command if this changes nothing except the cost for the server. "
                            + "This option is needed behind a proxy that splits commands with several keys.")
    boolean noFusion;

    @Option(
            names = "--on-error",
            paramLabel = "stop|skip",
            converter = OnErrorText.class,
            description = "Whether the load stops at the first rejected row, or skips rejected rows. Default: skip.")
    Optional<OnError> onError = Optional.empty();

    @Option(names = "--max-errors", paramLabel = "N", description = "${bundle:setting--max-errors}")
    Optional<Long> maxErrors = Optional.empty();

    @Option(
            names = "--rejects",
            paramLabel = "FILE",
            description = "Write rejected rows to this file, as JSON lines with position, reason and values.")
    Optional<Path> rejects = Optional.empty();

    @Option(
            names = "--verify",
            paramLabel = "SHARE",
            converter = VerificationConverter.class,
            description = "Read the source again and compare it with Redis: none, sample:1%%, full. Default: none.")
    Optional<Verification> verify = Optional.empty();
}
