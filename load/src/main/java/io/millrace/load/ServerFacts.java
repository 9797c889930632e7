// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Server;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;

/** What a server says of itself in {@code INFO}. A user who may not ask gets "unknown" for an answer, and loads all the same. */
final class ServerFacts {

    private final Map<String, String> facts;

    private ServerFacts(Map<String, String> facts) {
        this.facts = facts;
    }

    /** Asks for one section. */
    static ServerFacts of(RedisClient client, String section) {
        Map<String, String> facts = new HashMap<>();
        try {
            client.call(Server.info(section)).lines().forEach(line -> {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    facts.put(line.substring(0, colon), line.substring(colon + 1));
                }
            });
        } catch (ErrorReplyException e) {
            facts.put("error", e.getMessage());
        }
        return new ServerFacts(facts);
    }

    /** Seconds of processor time the server's main thread has used so far, empty if it does not say. */
    static OptionalDouble cpuSeconds(RedisClient client) {
        try {
            ServerFacts cpu = of(client, "cpu");
            return cpu.sum("used_cpu_user_main_thread", "used_cpu_sys_main_thread");
        } catch (RedisException e) {
            // Only a statistic: a server that has gone is noticed, and reported, by those who wrote to it.
            return OptionalDouble.empty();
        }
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
