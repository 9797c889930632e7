// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.bitmap.Populations;
import io.millrace.bitmap.SetExpression;
import io.millrace.bitmap.Span;
import io.millrace.cli.BitmapArguments.FirstSpan;
import io.millrace.client.ClientOptions;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The validated arguments of {@code millrace bitmap}. {@link BitmapRun} executes the request.
 *
 * @param name the name of a population, or of an activity if {@code activity} is present
 * @param creation used by {@link BitmapAction#CREATE} only
 * @param limit maximum number of printed members
 * @param warnings messages for the user
 */
record BitmapRequest(
        BitmapAction action,
        String name,
        Creation creation,
        Optional<ActivityChoice> activity,
        long limit,
        boolean json,
        ClientOptions redis,
        List<String> warnings) {

    /** Long enough to count and combine many large bitmaps. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(1);

    /** Random seeds are less than this number, so that every reader of JSON reads them exactly. */
    private static final long SEEDS = 1L << 53;

    /**
     * The bits of a new population. A bit is set with the probability {@code lessThan / of}.
     *
     * @param replace whether an existing population is replaced
     */
    record Creation(long population, long lessThan, long of, long seed, boolean replace) {

        double probability() {
            return (double) lessThan / of;
        }
    }

    /** The queried spans of an activity. */
    record ActivityChoice(String event, FirstSpan from, int spans) {}

    /**
     * Validates the arguments. Reads password files. Opens no connection.
     *
     * @throws UsageException if arguments are missing, out of range or contradict each other
     */
    static BitmapRequest of(BitmapArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        BitmapAction action = action(typed.action);
        checkNames(action, typed);
        checkLegal(typed);
        Creation creation = creation(typed);
        Optional<ActivityChoice> activity = activity(action, typed);
        ServerChoice server = ServerChoice.of(typed.connection, standardStreams, secretMasker);
        ClientOptions redis =
                server.client().connections(1).commandTimeout(COMMAND_TIMEOUT).build();
        return new BitmapRequest(
                action,
                typed.name,
                creation,
                activity,
                typed.limit.value().orElse(BitmapArguments.LIMIT.defaultValue()),
                typed.json.isTyped(),
                redis,
                server.warnings());
    }

    private static BitmapAction action(String word) {
        try {
            return Words.parse("action", BitmapAction.class, word);
        } catch (IllegalArgumentException unknown) {
            throw new UsageException(String.valueOf(unknown.getMessage()), unknown);
        }
    }

    /** Refuses options that belong to another action. */
    private static void checkNames(BitmapAction action, BitmapArguments typed) {
        List<String> creating = typed.creation.typedNames();
        if (action != BitmapAction.CREATE && !creating.isEmpty()) {
            throw new UsageException(String.join(", ", creating) + " belongs to create.");
        }
        List<String> querying = typed.activity.typedNames();
        if (action == BitmapAction.CREATE && !querying.isEmpty()) {
            throw new UsageException(String.join(", ", querying) + " belongs to count, members and retention.");
        }
        if (action != BitmapAction.MEMBERS && typed.limit.isTyped()) {
            throw new UsageException("--limit belongs to members.");
        }
    }

    /** Refuses a name or an event that cannot be part of a key. */
    private static void checkLegal(BitmapArguments typed) {
        try {
            var unusedName = Populations.checkName(typed.name);
            typed.event.value().ifPresent(event -> {
                var unusedEvent = SetExpression.active(event, Span.day(LocalDate.EPOCH));
            });
        } catch (IllegalArgumentException illegal) {
            throw new UsageException(String.valueOf(illegal.getMessage()), illegal);
        }
    }

    private static Creation creation(BitmapArguments typed) {
        Creation creation = new Creation(
                typed.population.value().orElse(BitmapArguments.POPULATION.defaultValue()),
                typed.lessThan.value().orElse(BitmapArguments.LESS_THAN.defaultValue()),
                typed.of.value().orElse(BitmapArguments.OF.defaultValue()),
                typed.seed.value().orElseGet(() -> ThreadLocalRandom.current().nextLong(SEEDS)),
                typed.replace.isTyped());
        if (creation.lessThan() > creation.of()) {
            throw new UsageException("--less-than " + creation.lessThan() + " is more than --of " + creation.of()
                    + ", and a probability is at most 1.");
        }
        return creation;
    }

    private static Optional<ActivityChoice> activity(BitmapAction action, BitmapArguments typed) {
        if (typed.event.isTyped() != typed.from.isTyped() || (typed.spans.isTyped() && !typed.event.isTyped())) {
            throw new UsageException("--event and --from belong together: give both to query an activity.");
        }
        if (action == BitmapAction.RETENTION && !(typed.event.isTyped() && typed.spans.isTyped())) {
            throw new UsageException("retention needs --event EVENT, --from DAY and --spans N.");
        }
        return typed.event
                .value()
                .flatMap(event -> typed.from
                        .value()
                        .map(from -> new ActivityChoice(
                                event, from, typed.spans.value().orElse(BitmapArguments.SPANS.defaultValue()))));
    }
}
