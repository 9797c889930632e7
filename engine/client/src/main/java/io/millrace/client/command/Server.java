// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Commands on the server and the connection. */
public final class Server {

    /** {@code PING}: returns {@code PONG}. */
    public static final CommandSpec<String> PING =
            CommandSpec.of("PING", Decoders.TEXT).idempotently();

    /** {@code ECHO message}: returns the message. */
    public static final CommandSpec<String> ECHO =
            CommandSpec.of("ECHO", Decoders.TEXT).idempotently();

    /** {@code TIME}: returns the server's clock, in microseconds. */
    public static final CommandSpec<Instant> TIME =
            CommandSpec.of("TIME", Server::instant).idempotently();

    /** {@code INFO [section]}: returns lines of {@code name:value}. */
    public static final CommandSpec<String> INFO =
            CommandSpec.of("INFO", Decoders.TEXT).idempotently();

    /** {@code DBSIZE}: returns the number of keys. */
    public static final CommandSpec<Long> DBSIZE =
            CommandSpec.of("DBSIZE", Decoders.INTEGER).idempotently();

    /** {@code FLUSHDB [mode]}: returns {@code OK}. */
    public static final CommandSpec<String> FLUSHDB = CommandSpec.of("FLUSHDB", Decoders.TEXT);

    /** {@code CONFIG GET pattern …}: returns settings and their values, which may be secrets. */
    public static final CommandSpec<Map<String, String>> CONFIG_GET = CommandSpec.of(
                    "CONFIG GET", Replies.map(Decoders.TEXT, Decoders.TEXT))
            .idempotently();

    /** {@code CONFIG SET name value …}: returns {@code OK}. */
    public static final CommandSpec<String> CONFIG_SET = CommandSpec.of("CONFIG SET", Decoders.TEXT);

    /** {@code CLIENT ID}: returns the ID that the server has given to the connection of the command. */
    public static final CommandSpec<Long> CLIENT_ID =
            CommandSpec.of("CLIENT ID", Decoders.INTEGER).idempotently();

    /**
     * {@code WAIT replicas milliseconds}: returns the number of replicas that have received all earlier writes of the
     * same connection. Needs the {@link DedicatedConnection} that sent the writes.
     */
    public static final CommandSpec<Long> WAIT = CommandSpec.of("WAIT", Decoders.INTEGER);

    /** {@code FLUSHALL [mode]}: returns {@code OK}. */
    public static final CommandSpec<String> FLUSHALL = CommandSpec.of("FLUSHALL", Decoders.TEXT);

    /** {@code SWAPDB database database}: returns {@code OK}. */
    public static final CommandSpec<String> SWAPDB = CommandSpec.of("SWAPDB", Decoders.TEXT);

    private Server() {}

    /** Checks that the server replies. */
    public static Command<String> ping() {
        return Command.of(PING);
    }

    /** Sends {@code message} to the server, which returns the message. */
    public static Command<String> echo(String message) {
        return Command.of(ECHO, message);
    }

    /** Same command as {@link #echo(String)}, with a binary message. */
    public static Command<byte[]> echo(byte[] message) {
        return Command.of(ECHO, message).as(Replies::bytes);
    }

    /** Reads the server's clock. */
    public static Command<Instant> time() {
        return Command.of(TIME);
    }

    /** Reads the server's statistics. */
    public static Command<String> info() {
        return Command.of(INFO);
    }

    /** Reads one section of the server's statistics, such as {@code server} or {@code cpu}. */
    public static Command<String> info(String section) {
        return Command.of(INFO, section);
    }

    /** Counts the keys of the database. */
    public static Command<Long> size() {
        return Command.of(DBSIZE);
    }

    /** Deletes all keys of the database. */
    public static Command<String> flush() {
        return Command.of(FLUSHDB);
    }

    /** Reads the settings whose names match {@code pattern}, such as {@code maxmemory*}. */
    public static Command<Map<String, String>> config(String pattern) {
        return Command.of(CONFIG_GET, pattern);
    }

    /** Changes the setting {@code name} of the running server. The change is lost when the server stops. */
    public static Command<String> setConfig(String name, String value) {
        return Command.of(CONFIG_SET, name, value);
    }

    /**
     * Reads the ID that the server has given to the connection. Outside a {@link DedicatedConnection}, the command runs
     * on one of the shared connections and returns the ID of that connection.
     */
    public static Command<Long> clientId() {
        return Command.of(CLIENT_ID);
    }

    /**
     * Waits until {@code replicas} replicas have received all earlier writes of the same connection. Returns the number
     * of replicas that have received the writes. After {@code wait}, this number is less than {@code replicas}. So the
     * caller must compare the result with {@code replicas}.
     *
     * <p>Only the {@link DedicatedConnection} that sent the writes accepts this command. On any other connection the
     * result would say nothing about the writes, so {@code RedisClient.call} and {@code send}, pipelines and
     * transactions refuse the command.
     *
     * <pre>{@code
     * try (DedicatedConnection connection = client.borrow()) {
     *     connection.call(Strings.set("k", "v"));
     *     boolean replicated = connection.call(Server.awaitReplicas(1, Duration.ofSeconds(1))) >= 1;
     * }
     * }</pre>
     *
     * @param replicas 1 to 2,147,483,647
     * @param wait 1 ms to 1 day
     */
    public static Command<Long> awaitReplicas(int replicas, Duration wait) {
        return Command.of(WAIT, Arguments.count("replicas", replicas), Arguments.waitMillis(wait))
                .blockingFor(wait);
    }

    /** Deletes all keys of all databases. */
    public static Command<String> flushAll() {
        return Command.of(FLUSHALL);
    }

    /** Exchanges the keys of the databases {@code one} and {@code other}, for all connections. Numbers count from 0. */
    public static Command<String> swapDatabases(int one, int other) {
        return Command.of(SWAPDB, one, other);
    }

    private static Instant instant(Reply reply) {
        List<Reply> parts = Replies.parts(2, "seconds and microseconds", reply);
        try {
            long micros = Long.parseLong(Replies.text(parts.getLast()));
            return Instant.ofEpochSecond(Long.parseLong(Replies.text(parts.getFirst())), micros * 1_000);
        } catch (NumberFormatException e) {
            throw new UnexpectedReplyException("seconds and microseconds", reply);
        }
    }
}
