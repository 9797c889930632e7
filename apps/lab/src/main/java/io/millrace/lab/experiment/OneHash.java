// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Pair;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/** A map goes into one hash, a JSON document for each field, and the hash gets a time to live. */
record OneHash() implements Activity {

    private static final String KEY = Keyspace.PREFIX + "map";
    private static final Duration TIME_TO_LIVE = Duration.ofHours(1);

    @Override
    public String name() {
        return "hash";
    }

    @Override
    public Work work(long operations) {
        var fields = fields(operations);
        return (idiom, batch) -> idiom.putFields(KEY, fields, TIME_TO_LIVE, batch);
    }

    private static List<Pair> fields(long count) {
        return LongStream.range(0, count)
                .mapToObj(n -> new Pair(
                        String.format(Locale.ROOT, "entry:%06d", n),
                        String.format(
                                Locale.ROOT,
                                "{\"id\":%d,\"name\":\"entry %d\",\"score\":%d.5,\"active\":%b}",
                                n,
                                n,
                                n * 31 % 1_000,
                                n % 3 != 0)))
                .toList();
    }

    @Override
    public List<Counted> commands() {
        return List.of(new Counted("hset", "hset"));
    }

    @Override
    public Check check() {
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                var complaints = new ArrayList<String>();
                var found = server.control().hgetAll(KEY);
                long right = right(server, operations);
                if (found.size() != operations || right != operations) {
                    complaints.add("fields: expected=" + operations + ", found=" + found.size() + ", right=" + right);
                }
                long left = server.control().pttl(KEY);
                if (left <= 0 || left > TIME_TO_LIVE.toMillis()) {
                    complaints.add("time to live: expected at most " + TIME_TO_LIVE.toMillis() + " ms, found=" + left);
                }
                return complaints;
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                long right = right(server, operations);
                return new Outcomes(right, 0, 0, 0, operations - right);
            }
        };
    }

    private static long right(RedisServer server, long operations) {
        var found = server.control().hgetAll(KEY);
        return fields(operations).stream()
                .filter(field -> field.value().equals(found.get(field.key())))
                .count();
    }
}
