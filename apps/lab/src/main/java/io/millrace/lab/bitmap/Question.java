// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import static io.millrace.lab.bitmap.ActivityLoad.EVENT;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.RetentionTable;
import io.millrace.bitmap.SetExpression;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.args.BitOP;

/**
 * A question about a {@link Month}. The answer is a list of numbers. Jedis asks as the manual of Redis does: {@code
 * BITOP} into a temporary key, {@code BITCOUNT}, in one pipeline.
 *
 * @param expected the answer, counted id by id
 */
record Question(
        String word,
        String text,
        Function<Month, List<Long>> expected,
        Function<Activity, List<Long>> millrace,
        Function<Pipeline, List<Response<Long>>> jedis) {

    static final List<Question> ALL = List.of(
            new Question(
                    "counts",
                    "how many ids were active on each of the thirty days",
                    Month::counts,
                    activity -> List.copyOf(activity.counts(EVENT, Month.SPANS).values()),
                    pipeline ->
                            days(0, Month.DAYS).stream().map(pipeline::bitcount).toList()),
            new Question(
                    "union",
                    "how many ids were active on at least one of the thirty days",
                    month -> List.of(month.union()),
                    activity -> List.of(activity.count(SetExpression.active(EVENT, Month.SPAN))),
                    pipeline -> List.of(combined(pipeline, BitOP.OR, days(0, Month.DAYS)))),
            new Question(
                    "every-week",
                    "how many ids were active in each of four weeks",
                    month -> List.of(month.everyWeek()),
                    activity -> List.of(activity.count(Month.WEEKS.stream()
                            .map(week -> SetExpression.active(EVENT, week))
                            .reduce(SetExpression::and)
                            .orElseThrow())),
                    Question::everyWeek),
            new Question(
                    "retention",
                    "of the ids of each day, how many were active on each later day (465 numbers)",
                    Month::retention,
                    activity -> activity.retention(EVENT, Month.SPANS).cohorts().stream()
                            .map(RetentionTable.Cohort::active)
                            .flatMap(Collection::stream)
                            .toList(),
                    Question::retention));

    private static final String TEMPORARY = Month.NAME + ":temporary:";

    private static List<Response<Long>> everyWeek(Pipeline pipeline) {
        var weeks = new ArrayList<String>();
        for (int week = 0; week < Month.WEEKS.size(); week++) {
            weeks.add(TEMPORARY + week);
            pipeline.bitop(
                    BitOP.OR, weeks.getLast(), days(7 * week, 7 * week + 7).toArray(String[]::new));
        }
        var count = combined(pipeline, BitOP.AND, weeks);
        pipeline.unlink(weeks.toArray(String[]::new));
        return List.of(count);
    }

    private static List<Response<Long>> retention(Pipeline pipeline) {
        var counts = new ArrayList<Response<Long>>();
        for (int row = 0; row < Month.DAYS; row++) {
            counts.add(pipeline.bitcount(Month.key(row)));
            for (int later = row + 1; later < Month.DAYS; later++) {
                counts.add(combined(pipeline, BitOP.AND, List.of(Month.key(row), Month.key(later))));
            }
        }
        return counts;
    }

    private static Response<Long> combined(Pipeline pipeline, BitOP operation, List<String> from) {
        String to = TEMPORARY + "all";
        pipeline.bitop(operation, to, from.toArray(String[]::new));
        var count = pipeline.bitcount(to);
        pipeline.unlink(to);
        return count;
    }

    private static List<String> days(int from, int to) {
        return IntStream.range(from, to).mapToObj(Month::key).toList();
    }

    /** Asks Millrace's {@code Activity} about a month whose bitmaps are on the server. */
    ReadyWork openMillrace(Target target, Month month) {
        var client = Connections.millrace(target);
        var activity =
                Activity.of(client, Month.NAME, ActivityOptions.keptForever().encoding(Encoding.BITMAP));
        return new Asking(this, month, () -> millrace.apply(activity), client);
    }

    /** Asks with the commands of the server over Jedis. */
    ReadyWork openJedis(Target target, Month month) {
        var connection = Connections.jedis(target);
        Supplier<List<Long>> asked = () -> {
            try (var pipeline = connection.pipelined()) {
                var replies = jedis.apply(pipeline);
                pipeline.sync();
                return replies.stream().map(Response::get).toList();
            }
        };
        return new Asking(this, month, asked, connection);
    }

    /** Compares the answer with the right one. */
    private static final class Asking implements ReadyWork {

        private final String word;
        private final int ids;
        private final List<Long> expected;
        private final Supplier<List<Long>> asked;
        private final AutoCloseable connection;
        private List<Long> answer = List.of();

        Asking(Question question, Month month, Supplier<List<Long>> asked, AutoCloseable connection) {
            this.word = question.word;
            this.ids = month.ids();
            this.expected = question.expected.apply(month);
            this.asked = asked;
            this.connection = connection;
        }

        @Override
        public void prepare() {
            answer = List.of();
        }

        @Override
        public long run() {
            answer = asked.get();
            return ids;
        }

        @Override
        public RoundDetails details() {
            return expected.equals(answer)
                    ? RoundDetails.NONE
                    : RoundDetails.NONE.withComplaints(
                            List.of(word + ": wrong answer: expected=" + expected + ", found=" + answer));
        }

        @Override
        public void close() throws Exception {
            connection.close();
        }
    }
}
