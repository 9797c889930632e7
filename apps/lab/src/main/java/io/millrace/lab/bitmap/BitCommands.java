// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.args.BitOP;

/** Asks questions as the manual of Redis does: {@code BITOP} into a temporary key, {@code BITCOUNT}, in one pipeline. */
final class BitCommands {

    private static final String TEMPORARY = Month.NAME + ":temporary:";

    static List<Long> ask(Jedis jedis, Question question) {
        return switch (question) {
            case COUNTS -> run(jedis, BitCommands::counts);
            case UNION -> run(jedis, BitCommands::union);
            case EVERY_WEEK -> run(jedis, BitCommands::everyWeek);
            case RETENTION -> run(jedis, BitCommands::retention);
        };
    }

    private static List<Long> run(Jedis jedis, Function<Pipeline, List<Response<Long>>> commands) {
        try (var pipeline = jedis.pipelined()) {
            var replies = commands.apply(pipeline);
            pipeline.sync();
            return replies.stream().map(Response::get).toList();
        }
    }

    private static List<Response<Long>> counts(Pipeline pipeline) {
        return days(0, Month.DAYS).stream().map(pipeline::bitcount).toList();
    }

    private static List<Response<Long>> union(Pipeline pipeline) {
        return List.of(combined(pipeline, BitOP.OR, TEMPORARY + "all", days(0, Month.DAYS)));
    }

    private static List<Response<Long>> everyWeek(Pipeline pipeline) {
        var weeks = new ArrayList<String>();
        int from = 0;
        for (var week : Month.weeks()) {
            var key = TEMPORARY + weeks.size();
            pipeline.bitop(BitOP.OR, key, days(from, from + week.size()).toArray(String[]::new));
            weeks.add(key);
            from += week.size();
        }
        var count = combined(pipeline, BitOP.AND, TEMPORARY + "all", weeks);
        pipeline.unlink(weeks.toArray(String[]::new));
        return List.of(count);
    }

    private static List<Response<Long>> retention(Pipeline pipeline) {
        var counts = new ArrayList<Response<Long>>();
        for (int row = 0; row < Month.DAYS; row++) {
            counts.add(pipeline.bitcount(Month.key(row)));
            for (int later = row + 1; later < Month.DAYS; later++) {
                counts.add(
                        combined(pipeline, BitOP.AND, TEMPORARY + "pair", List.of(Month.key(row), Month.key(later))));
            }
        }
        return counts;
    }

    private static Response<Long> combined(Pipeline pipeline, BitOP operation, String to, List<String> from) {
        pipeline.bitop(operation, to, from.toArray(String[]::new));
        var count = pipeline.bitcount(to);
        pipeline.unlink(to);
        return count;
    }

    private static List<String> days(int from, int to) {
        return IntStream.range(from, to).mapToObj(Month::key).toList();
    }

    private BitCommands() {}
}
