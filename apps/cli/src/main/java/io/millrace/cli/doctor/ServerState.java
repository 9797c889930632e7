// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a server reports about itself.
 *
 * @param facts the lines of {@code INFO}; empty if the server refuses the command
 * @param settings the values of {@code CONFIG GET}; empty if the server refuses the command
 * @param refusals the error reply to each refused command
 */
record ServerState(Map<String, String> facts, Map<String, String> settings, Map<String, String> refusals) {

    /** The settings that the checks use. A server without a setting leaves the setting out. */
    static final List<String> SETTINGS = List.of(
            "appendfsync",
            "no-appendfsync-on-rewrite",
            "save",
            "stop-writes-on-bgsave-error",
            "client-output-buffer-limit",
            "maxmemory-clients",
            "maxclients",
            "min-replicas-to-write",
            "proto-max-bulk-len",
            "*-max-listpack-*",
            "*-max-ziplist-*",
            "set-max-intset-entries",
            "stream-node-max-*");

    static final String INFO = "INFO";
    static final String CONFIG = "CONFIG GET";

    /** Reads the state. Blocks until all replies have arrived. A refused command leaves its part empty. */
    static ServerState read(RedisClient client) {
        Map<String, String> facts = new HashMap<>();
        Map<String, String> settings = new HashMap<>();
        Map<String, String> refusals = new HashMap<>();
        try {
            client.call(Server.info()).lines().forEach(line -> addFact(facts, line));
        } catch (ErrorReplyException refused) {
            refusals.put(INFO, String.valueOf(refused.getMessage()));
        }
        try {
            for (String pattern : SETTINGS) {
                settings.putAll(client.call(Server.config(pattern)));
            }
        } catch (ErrorReplyException refused) {
            refusals.put(CONFIG, String.valueOf(refused.getMessage()));
        }
        return new ServerState(facts, settings, refusals);
    }

    private static void addFact(Map<String, String> facts, String line) {
        int colon = line.indexOf(':');
        if (colon > 0) {
            facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
        }
    }

    Optional<String> fact(String name) {
        return Optional.ofNullable(facts.get(name));
    }

    Optional<String> setting(String name) {
        return Optional.ofNullable(settings.get(name));
    }

    /** A fact as a number of at least 0; empty if the server does not report such a number. */
    OptionalLong number(String name) {
        return number(fact(name));
    }

    /** A setting as a number of at least 0; empty if the server does not report such a number. */
    OptionalLong numberOfSetting(String name) {
        return number(setting(name));
    }

    private static OptionalLong number(Optional<String> text) {
        return text.filter(value -> value.matches("\\d{1,18}"))
                .map(value -> OptionalLong.of(Long.parseLong(value)))
                .orElseGet(OptionalLong::empty);
    }

    boolean isValkey() {
        return facts.containsKey("valkey_version") || fact("server_name").equals(Optional.of("valkey"));
    }

    /** The version of the server; empty if the server does not report it. */
    Optional<String> version() {
        return fact("valkey_version").or(() -> fact("redis_version"));
    }

    /** The name, version, mode and role of the server. */
    String description() {
        if (facts.isEmpty()) {
            return "unknown server";
        }
        return (isValkey() ? "Valkey " : "Redis ") + version().orElse("of unknown version") + ", "
                + fact("redis_mode").or(() -> fact("server_mode")).orElse("unknown mode") + ", "
                + fact("role")
                        .map(role -> role.equals("master") ? "primary" : "replica")
                        .orElse("unknown role");
    }
}
