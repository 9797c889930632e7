// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.BitSource;
import io.millrace.bitmap.BitmapException;
import io.millrace.bitmap.Granularity;
import io.millrace.bitmap.Population;
import io.millrace.bitmap.PopulationOptions;
import io.millrace.bitmap.Populations;
import io.millrace.bitmap.RetentionTable;
import io.millrace.bitmap.SetExpression;
import io.millrace.bitmap.Span;
import io.millrace.cli.BitmapRequest.ActivityChoice;
import io.millrace.cli.BitmapRequest.Creation;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.client.exception.RedisException;
import io.millrace.load.ExitCode;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Runs {@code millrace bitmap}: the third stage. */
final class BitmapRun {

    /** Time for the store of a population to end after SIGINT or SIGTERM. */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    /** Number of members between two checks of the output: a fraction of a millisecond. */
    private static final int MEMBERS_PER_CHECK = 1_024;

    private final BitmapRequest request;
    private final StandardStreams standardStreams;
    private final PrintStream out;

    BitmapRun(BitmapRequest request, StandardStreams standardStreams) {
        this.request = request;
        this.standardStreams = standardStreams;
        this.out = standardStreams.out();
    }

    /** Blocks until the result is printed. */
    ExitCode run() {
        request.warnings().forEach(warning -> standardStreams.err().println("warning: " + warning));
        return request.action() == BitmapAction.CREATE ? runUntilStopped() : execute();
    }

    /**
     * Stores a population. SIGINT and SIGTERM interrupt this thread. The failed store then deletes the incomplete bits,
     * which can take 512 MB.
     */
    private ExitCode runUntilStopped() {
        Thread storing = Thread.currentThread();
        return GracefulShutdown.run(this::execute, END_LIMIT, new StoppableStore(storing));
    }

    private final class StoppableStore implements GracefulShutdown.Stoppable {

        private final Thread storing;

        StoppableStore(Thread storing) {
            this.storing = storing;
        }

        @Override
        public void stop() {
            storing.interrupt();
        }

        @Override
        public void abandon() {
            // The store still deletes the incomplete bits.
        }

        @Override
        public void timedOut() {
            standardStreams.err().println("millrace: the server did not reply. Incomplete bits expire within an hour.");
        }
    }

    private ExitCode execute() {
        try (RedisClient client = RedisClient.connect(request.redis())) {
            switch (request.action()) {
                case CREATE -> create(client);
                case COUNT -> count(client);
                case MEMBERS -> members(client);
                case RETENTION -> retention(client);
            }
        }
        if (out.checkError()) {
            standardStreams.err().println("millrace: the result could not be written to standard output.");
            return ExitCode.INTERNAL;
        }
        return ExitCode.OK;
    }

    private void create(RedisClient client) {
        Creation creation = request.creation();
        if (!creation.replace() && populations(client).find(request.name()).isPresent()) {
            throw new UsageException("a population with this name exists: name=" + request.name()
                    + ". Choose another name, or add --replace to replace the population.");
        }
        long begin = System.nanoTime();
        Population stored = stored(client, creation);
        double seconds = (System.nanoTime() - begin) / 1e9;
        long bytes = stored.memoryBytes();
        if (request.json()) {
            out.println(new JsonObject()
                    .text("name", stored.name())
                    .text("key", stored.key())
                    .number("bits", stored.bits())
                    .number("set", stored.ones())
                    .number("lessThan", creation.lessThan())
                    .number("of", creation.of())
                    .number("seed", creation.seed())
                    .number("bytes", bytes)
                    .json("seconds", format(ROOT, "%.3f", seconds)));
            return;
        }
        out.println(format(
                ROOT,
                "created %s in %.3f s: %,d bits, %,d of them set (%,d of %,d expected, seed %d)",
                stored.name(),
                seconds,
                stored.bits(),
                stored.ones(),
                creation.lessThan(),
                creation.of(),
                creation.seed()));
        out.println(format(ROOT, "key %s, %,d bytes", stored.key(), bytes));
    }

    private Population stored(RedisClient client, Creation creation) {
        try {
            return populations(client)
                    .store(
                            request.name(),
                            creation.population(),
                            BitSource.random(creation.probability(), creation.seed()));
        } catch (BitmapException | RedisException e) {
            awaitDelete(client);
            throw e;
        }
    }

    /**
     * Waits until the server has deleted the incomplete bits of a failed store: the server executes the commands of one
     * connection in order. Without the wait, the close of the client could drop the command that deletes the bits.
     */
    private static void awaitDelete(RedisClient client) {
        var unused = Thread.interrupted(); // this thread only waits and ends
        try {
            client.call(Server.ping());
        } catch (RedisException unreachable) {
            return; // the bits expire
        }
    }

    private void count(RedisClient client) {
        if (request.activity().isEmpty()) {
            long count = population(client).count();
            out.println(
                    request.json()
                            ? new JsonObject().text("name", request.name()).number("count", count)
                            : count);
            return;
        }
        ActivityChoice choice = request.activity().get();
        Activity activity = activity(client);
        List<Span> spans = spans(activity, choice);
        Map<Span, Long> counts = activity.counts(choice.event(), spans);
        long union = activity.count(SetExpression.active(choice.event(), spans));
        if (request.json()) {
            out.println(named(choice)
                    .json(
                            "spans",
                            JsonObject.array(counts.entrySet().stream()
                                    .map(each -> new JsonObject()
                                            .text("span", each.getKey().label())
                                            .number("count", each.getValue())
                                            .toString())))
                    .number("union", union));
            return;
        }
        counts.forEach((span, count) -> out.println(format(ROOT, "%-13s %,13d", span, count)));
        out.println(format(ROOT, "%-13s %,13d", "union", union));
    }

    private void members(RedisClient client) {
        try (LongStream members = request.activity().isEmpty()
                ? population(client).positions()
                : active(client, request.activity().get())) {
            PrimitiveIterator.OfLong printed = members.limit(request.limit()).iterator();
            if (request.json()) {
                printJson(printed);
            } else {
                print(printed, out::println);
            }
        }
    }

    /**
     * Prints one member after the other, because there may be too many for the memory. Stops when the output cannot be
     * written, for example because {@code head} has ended.
     */
    private void print(PrimitiveIterator.OfLong members, LongConsumer printer) {
        for (long printed = 1; members.hasNext(); printed++) {
            printer.accept(members.nextLong());
            if (printed % MEMBERS_PER_CHECK == 0 && out.checkError()) {
                return;
            }
        }
    }

    private LongStream active(RedisClient client, ActivityChoice choice) {
        Activity activity = activity(client);
        return activity.members(SetExpression.active(choice.event(), spans(activity, choice)));
    }

    private void printJson(PrimitiveIterator.OfLong members) {
        out.print("{\"name\":" + JsonObject.quoted(request.name()) + ",\"members\":[");
        if (members.hasNext()) {
            out.print(members.nextLong());
        }
        print(members, member -> {
            out.print(',');
            out.print(member);
        });
        out.println("]}");
    }

    private void retention(RedisClient client) {
        ActivityChoice choice = request.activity().orElseThrow();
        Activity activity = activity(client);
        RetentionTable table = activity.retention(choice.event(), spans(activity, choice));
        if (!request.json()) {
            out.print(table.text());
            return;
        }
        out.println(named(choice)
                .json(
                        "cohorts",
                        JsonObject.array(table.cohorts().stream()
                                .map(cohort -> new JsonObject()
                                        .text("span", cohort.span().label())
                                        .json(
                                                "active",
                                                JsonObject.array(
                                                        cohort.active().stream().map(String::valueOf)))
                                        .toString()))));
    }

    private JsonObject named(ActivityChoice choice) {
        return new JsonObject().text("name", request.name()).text("event", choice.event());
    }

    private static Populations populations(RedisClient client) {
        return Populations.of(client, PopulationOptions.DEFAULT);
    }

    private Population population(RedisClient client) {
        return populations(client)
                .find(request.name())
                .orElseThrow(() -> new UsageException("there is no population: name=" + request.name()
                        + ". To query an activity, add --event and --from."));
    }

    private Activity activity(RedisClient client) {
        return Activity.find(client, request.name())
                .orElseThrow(() -> new UsageException("there is no activity: name=" + request.name()
                        + ". Check the name, the server and the database."));
    }

    private static List<Span> spans(Activity activity, ActivityChoice choice) {
        Granularity granularity = activity.granularity();
        boolean isByHour = granularity == Granularity.HOUR;
        if (choice.from().isHour() != isByHour) {
            throw new UsageException("--from does not fit the granularity of the activity: granularity=" + granularity
                    + ". Write "
                    + (isByHour
                            ? "an hour of UTC, such as 2026-11-22T13."
                            : "a day without an hour, such as 2026-11-22."));
        }
        return Span.of(granularity, choice.from().time()).consecutive(choice.spans());
    }
}
