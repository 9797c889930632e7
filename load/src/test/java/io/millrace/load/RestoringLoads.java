// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Replies;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.BulkString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A real server for loads that restore hashes: runs the loads, and reads the keyspace and the statistics. */
final class RestoringLoads implements AutoCloseable {

    /** The number of keys without an expiry. The script sees the keyspace between two commands of a load. */
    private static final String WITHOUT_EXPIRY = """
            local n=0
            for _,k in ipairs(redis.call('KEYS','*')) do
              if redis.call('PTTL',k)==-1 then n=n+1 end
            end
            return n
            """;

    private final TestRedis redis = TestRedis.start();
    private final List<String> rejects = new ArrayList<>();

    /** Deletes all keys, the statistics and the rejected rows. */
    void clear() {
        redis.call("FLUSHALL");
        redis.call("CONFIG", "RESETSTAT");
        rejects.clear();
    }

    Reply call(String name, String... arguments) {
        return redis.call(name, arguments);
    }

    ClientOptions options() {
        return redis.options();
    }

    /** {@link TestRedis#memoryTolerance} */
    long memoryTolerance() {
        return redis.memoryTolerance();
    }

    /** The messages of the rejected rows. */
    List<String> rejects() {
        return rejects;
    }

    /** Rows with short values, so that they are restored. There are five groups. */
    static RowSource rows(long count) {
        return TestRows.of(List.of("id", "group", "ttl", "brief"), (row, opening, id) -> {
            row.clear(id + 1, 0);
            row.add(id);
            row.add(id % 5);
            row.add(Row.Kind.TEXT, "3600");
            row.add(Row.Kind.TEXT, "20ms");
            return id < count;
        });
    }

    /** The fields of the row with this id in {@link #rows}. */
    static Map<String, String> fields(int id) {
        return Map.of("id", "" + id, "group", "" + id % 5, "ttl", "3600", "brief", "20ms");
    }

    LoadReport run(Target target, LoadOptions options, RowSource source) {
        return new Loader(redis.options()).run(new LoadPlan(source, target, options), this::note);
    }

    /** Loads as the ACL user {@code user} with the password {@code secret}. */
    LoadReport runAs(String user, Target target, RowSource source) {
        RedisUri uri = RedisUri.of("127.0.0.1", redis.server().port()).withLogin(user, "secret");
        return new Loader(ClientOptions.of(uri)).run(new LoadPlan(source, target, LoadOptions.defaults()), this::note);
    }

    private void note(LoadEvent event) {
        if (event instanceof LoadEvent.Rejected rejected) {
            rejects.add(rejected.rejection().message());
        }
    }

    /** The number of commands with this name since {@link #clear}. */
    long calls(String command) {
        String facts = Replies.text(redis.call("INFO", "commandstats"));
        String begin = "cmdstat_" + command + ":calls=";
        return facts.lines()
                .filter(line -> line.startsWith(begin))
                .mapToLong(line -> Long.parseLong(line.substring(begin.length(), line.indexOf(','))))
                .sum();
    }

    Map<String, String> hash(String key) {
        return Replies.map(Replies::text, Replies::text).apply(redis.call("HGETALL", key));
    }

    String encoding(String key) {
        return Replies.text(redis.call("OBJECT", "ENCODING", key));
    }

    /** The number of keys without an expiry. */
    long withoutExpiry() {
        return withoutExpiry(redis);
    }

    static long withoutExpiry(TestRedis redis) {
        return Replies.integer(redis.call("EVAL", WITHOUT_EXPIRY, "0"));
    }

    long integer(String name, String... arguments) {
        return Replies.integer(redis.call(name, arguments));
    }

    static Reply text(String text) {
        return new BulkString(text.getBytes(UTF_8));
    }

    @Override
    public void close() {
        redis.close();
    }
}
