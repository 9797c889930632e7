// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads and changes the data of a server over a separate client. */
record Keyspace(RedisClient client) implements AutoCloseable {

    /** On a busy machine, a new server does not always answer within the default of two seconds. */
    private static final Duration BUSY_MACHINE = Duration.ofSeconds(30);

    static Keyspace of(EmbeddedRedis redis) {
        return of(redis.port());
    }

    static Keyspace of(int port) {
        ClientOptions patient = ClientOptions.builder(RedisUri.of("127.0.0.1", port))
                .connectTimeout(BUSY_MACHINE)
                .commandTimeout(BUSY_MACHINE)
                .build();
        return new Keyspace(RedisClient.connect(patient));
    }

    void clear() {
        call("FLUSHALL");
    }

    long size() {
        return number("DBSIZE");
    }

    String text(String command, String... args) {
        return text(call(command, args));
    }

    long number(String command, String... args) {
        return ((Reply.IntegerReply) call(command, args)).value();
    }

    Map<String, String> hash(String key) {
        List<Reply> items = switch (call("HGETALL", key)) {
            case Reply.MapReply map -> map.keysAndValues();
            case Reply.ArrayReply array -> array.items();
            case Reply other -> throw new AssertionError("not a hash: " + other);
        };
        Map<String, String> hash = new TreeMap<>();
        for (int i = 0; i < items.size(); i += 2) {
            hash.put(text(items.get(i)), text(items.get(i + 1)));
        }
        return hash;
    }

    Reply call(String command, String... args) {
        return client.call(Command.of(CommandSpec.of(command, reply -> reply), (Object[]) args));
    }

    private static String text(Reply reply) {
        return switch (reply) {
            case Reply.BulkString bulk -> bulk.text();
            case Reply.SimpleString simple -> simple.text();
            case Reply other -> other.toString();
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
