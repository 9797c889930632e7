// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.BulkString;
import io.millrace.resp.Reply.VerbatimString;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Facts that a server, or the primaries of a cluster, report about themselves with INFO and COMMAND INFO. If the user lacks the permission for these
 * commands, the load continues without these facts. The report then has the text "unknown" as version and mode.
 */
final class ServerFacts {

    private static final String MAIN_THREAD_USER = "used_cpu_user_main_thread";
    private static final String MAIN_THREAD_SYSTEM = "used_cpu_sys_main_thread";
    private static final String MAX_MEMORY = "maxmemory";
    private static final String RUN_ID = "run_id";
    private static final List<String> SUMMED = List.of("used_memory", MAX_MEMORY, "evicted_keys");
    private static final String UNKNOWN = "unknown";
    private static final int TIMEOUT_SECONDS = 1;

    private final Map<String, String> facts;

    private ServerFacts(Map<String, String> facts) {
        this.facts = facts;
    }

    /** The facts in {@code text}, a reply of INFO. */
    static ServerFacts parsed(String text) {
        return new ServerFacts(facts(text));
    }

    /**
     * Reads one section of INFO. Blocks until the reply arrives.
     *
     * @throws RedisException if the server does not reply in time, or refuses all commands at present
     */
    static ServerFacts of(ControlCalls calls, String section) {
        try {
            return calls.infoOfAll(section);
        } catch (ErrorReplyException e) {
            throwIfTemporary(e);
            return new ServerFacts(Map.of());
        }
    }

    /** Throws an error that does not concern the permission of the user. */
    private static void throwIfTemporary(ErrorReplyException e) {
        if (ServerError.of(e).isTemporary()) {
            throw e;
        }
    }

    /**
     * Whether the server has {@code command}. Also false if the server refuses {@code COMMAND INFO}. Blocks until the
     * reply arrives.
     *
     * @throws RedisException if the server does not reply in time, or refuses all commands at present
     */
    static boolean hasCommand(ControlCalls calls, String command) {
        try {
            return calls.call(Command.of("COMMAND INFO", command)) instanceof ArrayReply(List<Reply> answers)
                    && answers.size() == 1
                    && answers.getFirst() instanceof ArrayReply;
        } catch (ErrorReplyException e) {
            throwIfTemporary(e);
            return false;
        }
    }

    /**
     * CPU seconds that the main thread of the server has used so far; empty if the server does not report them within a
     * second. This method ignores a lost connection, because the writers of the load report the loss.
     */
    static OptionalDouble cpuSeconds(RedisClient client) {
        Optional<ServerFacts> cpu = soon(client, "cpu");
        return cpu.isPresent() ? cpu.get().sum(MAIN_THREAD_USER, MAIN_THREAD_SYSTEM) : OptionalDouble.empty();
    }

    /**
     * Reads one section of INFO; empty if the server refuses the command, does not reply within a second, or if the
     * connection is lost.
     */
    static Optional<ServerFacts> soon(RedisClient client, String section) {
        try {
            if (ClusterServers.isCluster(client)) {
                return Optional.of(combined(
                        ClusterServers.callEach(client, Server.info(section), Duration.ofSeconds(TIMEOUT_SECONDS))));
            }
            return Optional.of(client.send(Server.info(section))
                    .thenApply(text -> new ServerFacts(facts(text)))
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (RedisException | ExecutionException | TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * The facts of several servers, each given as a reply of INFO: the sum of memory and of evicted keys, the mean CPU
     * time, and the identities of all processes. The other facts are those of the first server.
     */
    static ServerFacts combined(List<String> texts) {
        List<Map<String, String>> all = texts.stream().map(ServerFacts::facts).toList();
        Map<String, String> combined = all.isEmpty() ? new HashMap<>() : new HashMap<>(all.getFirst());
        SUMMED.forEach(name -> combineNumbers(combined, name, all, 1));
        List.of(MAIN_THREAD_USER, MAIN_THREAD_SYSTEM).forEach(name -> combineNumbers(combined, name, all, all.size()));
        if (all.stream().anyMatch(facts -> "0".equals(facts.get(MAX_MEMORY)))) {
            combined.put(MAX_MEMORY, "0");
        }
        combined.computeIfPresent(
                RUN_ID,
                (name, first) -> all.stream()
                        .map(facts -> facts.getOrDefault(name, UNKNOWN))
                        .sorted()
                        .collect(Collectors.joining(",")));
        return new ServerFacts(combined);
    }

    /** Replaces a number by its sum over all servers, divided by {@code divisor}. */
    private static void combineNumbers(
            Map<String, String> combined, String name, List<Map<String, String>> all, int divisor) {
        combined.computeIfPresent(name, (same, first) -> {
            BigDecimal sum = all.stream()
                    .map(facts -> new BigDecimal(facts.getOrDefault(name, "0")))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            return sum.divide(BigDecimal.valueOf(divisor), MathContext.DECIMAL64)
                    .stripTrailingZeros()
                    .toPlainString();
        });
    }

    /**
     * How far the replication of each server has come that reports it; empty if a server does not reply within a second, or
     * refuses all commands at present.
     */
    static Optional<List<ReplicationState>> replication(RedisClient client) {
        Duration limit = Duration.ofSeconds(TIMEOUT_SECONDS);
        try {
            List<String> texts = ClusterServers.isCluster(client)
                    ? ClusterServers.callEach(client, Server.info("replication"), limit)
                    : List.of(client.call(Server.info("replication").within(limit)));
            return Optional.of(texts.stream()
                    .flatMap(text -> ReplicationState.of(parsed(text)).stream())
                    .toList());
        } catch (ErrorReplyException e) {
            return ServerError.of(e).isTemporary() ? Optional.empty() : Optional.of(List.of());
        } catch (RedisException e) {
            return Optional.empty();
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

    /** The name, the version and the mode of the server. Valkey also reports a version of Redis for old clients. */
    LoadReport.Server identity() {
        boolean valkey =
                facts.containsKey("valkey_version") || text("server_name").equals(Optional.of("valkey"));
        String version = text("valkey_version").or(() -> text("redis_version")).orElse(UNKNOWN);
        String mode = text("redis_mode").or(() -> text("server_mode")).orElse(UNKNOWN);
        return new LoadReport.Server(valkey ? "Valkey" : "Redis", version, mode);
    }

    /**
     * Whether the server reads a serialized key of Redis 7.0: Redis from 7.0 on, and Valkey. Also true if the version is
     * unknown, because an older server refuses such a key.
     */
    boolean readsDumpsOfRedis7() {
        return text("redis_version")
                .filter(version -> version.matches("[0-6]\\..*"))
                .isEmpty();
    }

    /** The random identity of the server process; empty if the server does not report it. */
    Optional<String> runId() {
        return text(RUN_ID);
    }

    /** The facts in {@code reply}, a reply to {@code INFO}; empty if it has no facts. */
    static Optional<ServerFacts> of(Reply reply) {
        return switch (reply) {
            case BulkString bulk -> Optional.of(new ServerFacts(facts(bulk.text())));
            case VerbatimString verbatim -> Optional.of(new ServerFacts(facts(verbatim.text())));
            default -> Optional.empty();
        };
    }

    /** A fact as text; empty if the server does not report it. */
    Optional<String> text(String name) {
        return Optional.ofNullable(facts.get(name));
    }

    /** A fact as a number of at least 0; empty if the server does not report it. */
    OptionalLong number(String name) {
        return text(name)
                .filter(value -> value.matches("\\d{1,18}"))
                .map(value -> OptionalLong.of(Long.parseLong(value)))
                .orElseGet(OptionalLong::empty);
    }

    private OptionalDouble sum(String first, String second) {
        String one = facts.get(first);
        String other = facts.get(second);
        return one == null || other == null
                ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(one) + Double.parseDouble(other));
    }
}
