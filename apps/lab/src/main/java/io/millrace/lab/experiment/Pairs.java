// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.CliPipe;
import io.millrace.lab.contender.CommandFile;
import io.millrace.lab.library.Pair;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import redis.clients.jedis.Jedis;

/** Numbered keys and their values, and whether a server holds the first so many of them: every one is read back. */
final class Pairs implements Check {

    private static final int BATCH = 1_000;
    private static final int MOST_COMPLAINTS = 3;

    /** The first {@code count} pairs. */
    static List<Pair> first(long count) {
        return LongStream.range(0, count).mapToObj(Pairs::pair).toList();
    }

    /** Makes the file of commands for {@link CliPipe} that sets the first {@code count} pairs. */
    static Inputs commands(Path folder, long count) {
        var commands =
                LongStream.range(0, count).mapToObj(Pairs::pair).map(pair -> List.of("SET", pair.key(), pair.value()));
        return Inputs.of(Map.of(
                CliPipe.COMMANDS,
                CommandFile.write(folder.resolve("commands.resp"), commands).toString()));
    }

    private static Pair pair(long n) {
        return new Pair(key(n), String.format(Locale.ROOT, "value:%010d", n));
    }

    private static String key(long n) {
        return String.format(Locale.ROOT, "%skey:%09d", Keyspace.PREFIX, n);
    }

    @Override
    public List<String> complaints(RedisServer server, long operations) {
        var complaints = new ArrayList<String>();
        long keys = server.keys();
        if (keys != operations) {
            complaints.add("keys: expected=" + operations + ", found=" + keys);
        }
        var different = different(server.control(), operations);
        if (!different.isEmpty()) {
            complaints.add("wrong or missing values: " + different.size() + " of " + operations);
            complaints.addAll(different.stream().limit(MOST_COMPLAINTS).toList());
        }
        return complaints;
    }

    /** Of the first {@code all} pairs {@code expected} must be there, whichever, and nothing else. */
    static List<String> complaintsOfSome(RedisServer server, long all, long expected) {
        long keys = server.keys();
        long right = all - different(server.control(), all).size();
        return keys == expected && right == expected
                ? List.of()
                : List.of("keys: expected=" + expected + ", found=" + keys + ", right=" + right);
    }

    /** What was found is ok; what was not is lost. */
    @Override
    public Outcomes outcomes(RedisServer server, long operations) {
        long lost = different(server.control(), operations).size();
        return new Outcomes(operations - lost, 0, 0, 0, lost);
    }

    private static List<String> different(Jedis control, long operations) {
        var different = new ArrayList<String>();
        for (long from = 0; from < operations; from += BATCH) {
            var expected = LongStream.range(from, Math.min(from + BATCH, operations))
                    .mapToObj(Pairs::pair)
                    .toList();
            var found = control.mget(expected.stream().map(Pair::key).toArray(String[]::new));
            for (int i = 0; i < expected.size(); i++) {
                var pair = expected.get(i);
                if (!pair.value().equals(found.get(i))) {
                    different.add(pair.key() + ": expected=" + pair.value() + ", found=" + found.get(i));
                }
            }
        }
        return different;
    }
}
