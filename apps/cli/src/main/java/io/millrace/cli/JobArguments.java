// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.BulkOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.Setting;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The typed options of {@code millrace load} that control the run. */
final class JobArguments {

    final OptionGroup group = new OptionGroup("Job:");

    final Option<Integer> connections =
            group.setting("--connections", "N", LoadOptions.CONNECTIONS, WholeNumber::parseInt);

    final Option<Integer> inFlight = group.setting("--in-flight", "N", BulkOptions.IN_FLIGHT, WholeNumber::parseInt);

    final Option<Long> inFlightBytes =
            group.setting("--in-flight-bytes", "SIZE", BulkOptions.IN_FLIGHT_BYTES, SizeText::parse);

    final Option<Duration> timeout = group.setting(
            "--timeout",
            "TIME",
            LoadOptions.TIMEOUT,
            DurationText::parse,
            help -> help + " A connect has the same timeout, but at most "
                    + Setting.Unit.TIME.text(LoadRequest.LONGEST_CONNECT)
                    + ". Without this option, a connect has a timeout of "
                    + ClientOptions.CONNECT_TIMEOUT.defaultText() + ".");

    final Option<Long> limit = group.setting("--limit", "ROWS", LoadOptions.LIMIT, WholeNumber::parseLong);

    final Option<Long> rate = group.setting("--rate", "ROWS", LoadOptions.RATE, WholeNumber::parseLong);

    final Option<Boolean> dryRun = group.flag("--dry-run", "Read and map every row, but do not contact Redis.");

    final Option<Boolean> explain = group.flag("--explain", "Print the first commands, do not contact Redis, and end.");

    final Option<Boolean> noFusion = group.flag(
            "--no-fusion",
            "Send the command of every row separately. Without this option, the commands of adjacent rows are "
                    + "sent as one command if this changes nothing except the cost for the server. "
                    + "This option is needed behind a proxy that splits commands with several keys.");

    final Option<OnError> onError = group.word(
            "--on-error",
            "stop|skip",
            "way to treat errors",
            OnError.class,
            "Whether the load stops at the first rejected row, or skips rejected rows. Default: skip.");

    final Option<Long> maxErrors = group.setting("--max-errors", "N", LoadOptions.MAX_ERRORS, WholeNumber::parseLong);

    final Option<Path> rejects = group.file(
            "--rejects", "Write rejected rows to this file, as JSON lines with position, reason and values.");

    final Option<Verification> verify = group.word(
            "--verify",
            "SHARE",
            List.of("none", "full", "sample:1%"),
            () -> "Read the source again and compare it with Redis: none, sample:1%, full. Default: none, and full for "
                    + "millrace verify.",
            VerificationText::parse);

    final Option<Path> differences = group.file(
            "--differences",
            "Write the differences that the verification finds to this file, as JSON lines with key, field, expected "
                    + "and found value.");

    final Option<Boolean> swap = group.flag(
            "--swap",
            "Write to shadow keys, and replace the keys after the whole load has succeeded, and its --verify too. "
                    + "Otherwise the old data stays.");

    final Option<Boolean> prune = group.flag(
            "--prune",
            "After a successful load, remove the keys that the same --job wrote earlier and does not write any more. "
                    + "A key of another type stays.");

    final Option<String> job = group.text(
            "--job",
            "NAME",
            "With --swap or --prune: name of the job in Redis. Each table needs its own name. Required for --prune; "
                    + "default for --swap: the text of --key.");

    final Option<Duration> patience = group.setting(
            "--patience",
            "TIME",
            LoadOptions.PATIENCE,
            DurationText::parse,
            help -> help + " Refused rows are sent again. A server without free memory is waited for 5s at most.");

    final Option<String> checkpoint = group.text(
            "--checkpoint",
            "NAME",
            "Record in the file ./NAME.checkpoint which rows are done, so that --resume can continue after an "
                    + "interruption. For lists and streams: in the key millrace:checkpoint:NAME, so that no row is "
                    + "lost or written twice.");

    final Option<Boolean> resume = group.flag(
            "--resume",
            "Continue the load of this --checkpoint after the rows that are done. Begin with the first row if there is "
                    + "no such load. Refuse if the source, the plan or the server has changed.");

    final Option<Boolean> serverKeptData = group.flag(
            "--server-kept-data",
            "With --resume: continue although the server was restarted or has fewer keys, because it has kept all rows, "
                    + "as with appendfsync always. Not needed for lists and streams.");

    /** The options that have a meaning for {@code millrace verify}. */
    final OptionGroup ofVerification =
            OptionGroup.of("Job:", connections, inFlight, inFlightBytes, timeout, limit, verify, differences, patience);
}
