// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Server;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a server says of itself. A user who may not ask gets "unknown" for an answer, and loads all the same. */
final class ServerFacts {

    private static final String MAIN_THREAD_USER = "used_cpu_user_main_thread";
    private static final String MAIN_THREAD_SYSTEM = "used_cpu_sys_main_thread";
    private static final int PATIENCE_SECONDS = 1;

    private final Map<String, String> facts;

    private ServerFacts(Map<String, String> facts) {
        this.facts = facts;
    }

    /** Asks for one section. */
    static ServerFacts of(RedisClient client, String section) {
        try {
            return new ServerFacts(facts(client.call(Server.info(section))));
        } catch (ErrorReplyException e) {
            return new ServerFacts(Map.of());
        }
    }

    /** Whether the server has {@code command}; false if it does not say, as to a user who may not ask. */
    static boolean hasCommand(RedisClient client, String command) {
        try {
            return client.call(Command.of("COMMAND INFO", command)) instanceof ArrayReply(List<Reply> answers)
                    && answers.size() == 1
                    && answers.getFirst() instanceof ArrayReply;
        } catch (ErrorReplyException e) {
            return false;
        }
    }

    /**
     * Seconds of processor time the server's main thread has used so far, empty if it does not say so within a second: it is
     * only a statistic. A server that has gone is noticed, and reported, by those who wrote to it.
     */
    static OptionalDouble cpuSeconds(RedisClient client) {
        try {
            return client.send(Server.info("cpu"))
                    .thenApply(text -> new ServerFacts(facts(text)).sum(MAIN_THREAD_USER, MAIN_THREAD_SYSTEM))
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (RedisException | ExecutionException | TimeoutException e) {
            return OptionalDouble.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalDouble.empty();
        }
    }

    private static Map<String, String> facts(String text) {
        Map<String, String> facts = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                facts.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return facts;
    }

    LoadReport.Server identity() {
        String version = facts.getOrDefault("valkey_version", facts.getOrDefault("redis_version", "unknown"));
        return new LoadReport.Server(version, facts.getOrDefault("redis_mode", "unknown"));
    }

    private OptionalDouble sum(String first, String second) {
        String one = facts.get(first);
        String other = facts.get(second);
        return one == null || other == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(one) + Double.parseDouble(other));
    }
}
