// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A real server for {@link FusionProgram}s. This class reads all keys and the command counts of the server over a plain
 * socket, without the client under test.
 */
final class FusionProgramServer implements AutoCloseable {

    private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+)");

    /** Maximum difference between the times to live of two runs of one program. */
    private static final long SLACK_MILLIS = 60_000;

    private static final String ALL_KEYS = """
            local all = {}
            for _, key in ipairs(redis.call('KEYS', '*')) do
                local type = redis.call('TYPE', key).ok
                local content = {}
                if type == 'string' then content = {redis.call('GET', key)} end
                if type == 'list' then content = redis.call('LRANGE', key, 0, -1) end
                if type == 'hash' then content = redis.call('HGETALL', key) end
                if type == 'set' then content = redis.call('SMEMBERS', key) end
                if type == 'zset' then content = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
                all[#all + 1] = {key, type, string.format('%.0f', redis.call('PTTL', key)), content}
            end
            return all
            """;

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final RawConnection control = RawConnection.open(server.host(), server.port(), 3);

    /**
     * The value of a key.
     *
     * @param content the elements; two contents with the same elements are equal, even if the servers encode the
     *     elements differently or return sets and hashes in different orders
     * @param millisToLive remaining time to live in milliseconds; -1 if the key does not expire
     */
    record Value(String type, Object content, long millisToLive) {

        boolean isLike(Value other) {
            boolean both = millisToLive >= 0 && other.millisToLive >= 0;
            return type.equals(other.type)
                    && content.equals(other.content)
                    && (both
                            ? Math.abs(millisToLive - other.millisToLive) < SLACK_MILLIS
                            : millisToLive == other.millisToLive);
        }
    }

    RedisUri uri() {
        return WatchedClients.uri(server);
    }

    void empty() {
        control.run(Server.flush());
    }

    /** Returns all keys of the server with their values. */
    Map<String, Value> keys() {
        Map<String, Value> keys = new TreeMap<>();
        for (Reply key : items(control.run(Command.of("EVAL", ALL_KEYS, 0)))) {
            List<Reply> parts = items(key);
            String type = text(parts.get(1));
            Value value = new Value(type, content(type, items(parts.get(3))), Long.parseLong(text(parts.get(2))));
            keys.put(text(parts.get(0)), value);
        }
        return keys;
    }

    private static Object content(String type, List<Reply> replies) {
        List<String> texts = replies.stream().map(FusionProgramServer::text).toList();
        return switch (type) {
            case "set" -> new HashSet<>(texts);
            case "hash" -> {
                Map<String, String> fields = new HashMap<>();
                for (int i = 0; i < texts.size(); i += 2) {
                    fields.put(texts.get(i), texts.get(i + 1));
                }
                yield fields;
            }
            default -> texts;
        };
    }

    /** Returns the number of calls of each command. The map keys are command names in lower case. */
    Map<String, Long> calls() {
        Map<String, Long> calls = new HashMap<>();
        Matcher matcher = CALLS.matcher(control.run(Server.info("commandstats")));
        while (matcher.find()) {
            calls.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        return calls;
    }

    private static List<Reply> items(Reply reply) {
        return reply instanceof Reply.ArrayReply array ? array.items() : new ArrayList<>();
    }

    private static String text(Reply reply) {
        return reply instanceof Reply.BulkString bulk ? new String(bulk.bytes(), ISO_8859_1) : reply.toString();
    }

    @Override
    public void close() {
        control.close();
        server.close();
    }
}
