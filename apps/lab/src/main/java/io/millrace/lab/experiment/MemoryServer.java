// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.EndWithJvm;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A server of whose memory something can be said: one with jemalloc, as nearly all have it; what the C library's allocator takes is
 * not what production takes. Used by one thread.
 */
final class MemoryServer implements AutoCloseable {

    private static final String ALLOCATOR = "jemalloc";

    /** A server looks after its tables and buffers ten times a second. */
    private static final Duration TWO_LOOKS_OF_THE_SERVER = Duration.ofMillis(220);

    private static final Duration BETWEEN_READINGS = Duration.ofMillis(30);
    private static final int READINGS_ALIKE = 4;
    private static final int MOST_READINGS = 300;
    private static final long ALIKE_BYTES = 64 << 10;
    private static final int BATCH = 1_000;

    private final RedisServer server;
    private final String allocator;
    private Optional<RaisedLimit> raised = Optional.empty();

    private MemoryServer(RedisServer server, String allocator) {
        this.server = server;
        this.allocator = allocator;
    }

    /** Why memory cannot be measured at {@code endpoint}. */
    static Optional<String> missing(Endpoint endpoint) {
        String found = allocator(endpoint);
        return found.startsWith(ALLOCATOR)
                ? Optional.empty()
                : Optional.of("memory is measured on a server with " + ALLOCATOR + ", and this one has " + found
                        + ". Name one with --uri, -h or -p, or install one for the lab to start (Debian and Ubuntu: apt"
                        + " install redis-server).");
    }

    /**
     * The server at {@code endpoint}, without keys of the lab.
     *
     * @param pairs that were there at most, in a table of keys that is to be small again
     */
    static MemoryServer open(Endpoint endpoint, long pairs) {
        var allocator = allocator(endpoint);
        var server = RedisServer.at(endpoint, Keyspace.PREFIX_BESIDE_OTHERS, () -> {});
        shrinkTable(server.control(), pairs);
        return new MemoryServer(server, allocator);
    }

    /**
     * Has the server make its table of keys as small as it can be now. It begins that by itself, and then goes on by a few places with
     * each key that is looked up.
     */
    private static void shrinkTable(Jedis control, long places) {
        LockSupport.parkNanos(TWO_LOOKS_OF_THE_SERVER.toNanos());
        var noKeys = IntStream.range(0, BATCH)
                .mapToObj(i -> Keyspace.PREFIX + "none:" + i)
                .toArray(String[]::new);
        for (long lookedUp = 0; lookedUp < places; lookedUp += BATCH) {
            control.mget(noKeys);
        }
    }

    Endpoint endpoint() {
        return server.endpoint();
    }

    Jedis control() {
        return server.control();
    }

    /** Its version and allocator. */
    String description() {
        return server.version() + " with " + allocator;
    }

    /** What the server calls its compact form: {@code listpack}, or {@code ziplist} before 7.0. */
    String family() {
        return control().configGet("hash-max-listpack-entries").isEmpty() ? "ziplist" : "listpack";
    }

    /** Up to how many fields it keeps a hash compact. */
    long limit() {
        return Long.parseLong(control().configGet(limitName()).get(limitName()));
    }

    private String limitName() {
        return "hash-max-" + family() + "-entries";
    }

    /** Raises that limit, if it is lower, until this is closed, or the JVM ends. */
    void raiseLimit(long limit) {
        long own = limit();
        if (own >= limit) {
            return;
        }
        String name = limitName();
        String before = Long.toString(own);
        // By a connection of its own, since that which looks after the server may be broken, or in use by another
        // thread.
        Runnable restore = () -> {
            try (var another = server.connect()) {
                another.configSet(name, before);
            }
        };
        raised = Optional.of(new RaisedLimit(restore, EndWithJvm.doing(restore)));
        control().configSet(name, Long.toString(limit));
    }

    /** The server's own limit is owed to it. What could not restore it now is left to the end of the JVM. */
    private record RaisedLimit(Runnable restore, EndWithJvm otherwise) {

        void end() {
            restore.run();
            otherwise.callOff();
        }
    }

    /** What the server uses, without the buffers of its clients; waits until it does not change any more, for some seconds at most. */
    long usedBytes() {
        long last = Long.MIN_VALUE;
        int alike = 0;
        for (int reading = 0; reading < MOST_READINGS && alike < READINGS_ALIKE; reading++) {
            var memory = lines(control().info("memory"));
            long now = number(memory, "used_memory") - number(memory, "mem_clients_normal");
            alike = Math.abs(now - last) <= ALIKE_BYTES ? alike + 1 : 0;
            last = now;
            LockSupport.parkNanos(BETWEEN_READINGS.toNanos());
        }
        return last;
    }

    private static long number(Map<String, String> memory, String name) {
        return Long.parseLong(Optional.ofNullable(memory.get(name))
                .orElseThrow(() ->
                        new LabException("the server does not report " + name + ". It must be Redis 6.2 or later.")));
    }

    @Override
    public void close() {
        try (server) {
            raised.ifPresent(RaisedLimit::end);
        }
    }

    private static String allocator(Endpoint endpoint) {
        var config = DefaultJedisClientConfig.builder()
                .user(endpoint.username().orElse(null))
                .password(endpoint.password().orElse(null))
                .build();
        try (var jedis = new Jedis(new HostAndPort(endpoint.host(), endpoint.port()), config)) {
            return lines(jedis.info("memory")).getOrDefault("mem_allocator", "unknown");
        } catch (JedisException e) {
            throw new LabException(
                    "the server does not say which allocator it has: endpoint=" + endpoint + ", cause=" + e.getMessage()
                            + ". Let the user have INFO.",
                    e);
        }
    }

    private static Map<String, String> lines(String info) {
        return info.lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }
}
