// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.bitmap.Populations;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Arguments of {@code millrace bitmap} as typed. */
final class BitmapArguments {

    static final Setting<Long> POPULATION =
            new Setting<>("population", 1L, Populations.MAX_BITS, 10_000_000L, Unit.COUNT, "Number of bits.");

    static final Setting<Long> LESS_THAN = new Setting<>(
            "lessThan",
            0L,
            1_000_000_000_000L,
            10L,
            Unit.COUNT,
            "A bit is set if a random number from 0 to M - 1 is less than K, where M is the value of --of.");

    static final Setting<Long> OF =
            new Setting<>("of", 1L, 1_000_000_000_000L, 1_000L, Unit.COUNT, "Number of different random numbers.");

    static final Setting<Integer> SPANS =
            new Setting<>("spans", 1, 1_000, 1, Unit.COUNT, "Number of hours, days, weeks or months.");

    static final Setting<Long> LIMIT = new Setting<>(
            "limit", 1L, Long.MAX_VALUE, Long.MAX_VALUE, Unit.COUNT, "Maximum number of printed members.");

    private static final Pattern TIME = Pattern.compile("(\\d{4}-\\d{2}-\\d{2})(?:T(\\d{2}))?");

    /**
     * The value of {@code --from}.
     *
     * @param time the start of a day, or the start of an hour if {@code isHour}
     */
    record FirstSpan(LocalDateTime time, boolean isHour) {}

    /** The ACTION argument. */
    String action = "";

    /** The NAME argument. */
    String name = "";

    final OptionGroup creation = new OptionGroup("Population (create):");

    final Option<Long> population = creation.setting("--population", "N", POPULATION, WholeNumber::parseLong);

    final Option<Long> lessThan = creation.setting("--less-than", "K", LESS_THAN, WholeNumber::parseLong);

    final Option<Long> of = creation.setting("--of", "M", OF, WholeNumber::parseLong);

    final Option<Long> seed = creation.value(
            "--seed",
            "NUMBER",
            () ->
                    "Seed of the random numbers. The same seed gives the same bits. Default: a random seed, which is printed.",
            WholeNumber::parseLong);

    final Option<Boolean> replace =
            creation.flag("--replace", "Replace an existing population. The old population is deleted first.");

    final OptionGroup activity = new OptionGroup("Activity (count, members, retention):");

    final Option<String> event = activity.text(
            "--event", "EVENT", "Event of an activity, such as login. Without this option, NAME is a population.");

    final Option<FirstSpan> from = activity.value(
            "--from",
            "DAY",
            () -> "The first span, named by its day: 2026-11-22, or if the activity has hours by its hour of UTC:"
                    + " 2026-11-22T13. Required with --event.",
            BitmapArguments::parseFirst);

    final Option<Integer> spans = activity.setting(
            "--spans",
            "N",
            SPANS,
            WholeNumber::parseInt,
            help -> help + " Their length is the granularity of the activity. Required for retention.");

    final ConnectionArguments connection = new ConnectionArguments();

    final OptionGroup output = new OptionGroup("Output:");

    final Option<Boolean> json =
            output.flag("--json", "Print one JSON object. Ids are numbers: some readers round numbers above 2^53 - 1.");

    final Option<Long> limit =
            output.setting("--limit", "N", LIMIT, WholeNumber::parseLong, help -> "For members. " + help);

    final OptionGroup group = new OptionGroup("");

    final Option<Boolean> debug = group.flag("--debug", "Show the stack trace of an error.");

    final Option<Boolean> help = group.flag("--help", "Show this help.");

    /** All options, in the order of the help text. */
    List<OptionGroup> groups() {
        return List.of(creation, activity, connection.group, output, group);
    }

    private static FirstSpan parseFirst(String text) {
        Matcher matcher = TIME.matcher(text);
        if (matcher.matches()) {
            try {
                LocalDate day = LocalDate.parse(matcher.group(1));
                String hour = matcher.group(2);
                return hour == null
                        ? new FirstSpan(day.atStartOfDay(), false)
                        : new FirstSpan(day.atTime(Integer.parseInt(hour), 0), true);
            } catch (DateTimeException noSuchTime) {
                throw notATime(text);
            }
        }
        throw notATime(text);
    }

    private static IllegalArgumentException notATime(String text) {
        return new IllegalArgumentException(
                "'" + text + "' is not a day or an hour. Write 2026-11-22 or 2026-11-22T13.");
    }
}
