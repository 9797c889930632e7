// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.memory;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.EndWithJvm;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A server whose memory is measured. The server must use jemalloc, because production servers do, and the allocator of
 * the C library needs another amount. Used by one thread.
 */
final class MemoryServer implements AutoCloseable {

    private static final String ALLOCATOR = "jemalloc";

    /** A server looks after its tables and buffers ten times a second. */
    private static final Duration TWO_CYCLES_OF_THE_SERVER = Duration.ofMillis(220);

    private static final Duration BETWEEN_READINGS = Duration.ofMillis(30);
    private static final int EQUAL_READINGS = 4;
    private static final int MAX_READINGS = 300;
    private static final long TOLERANCE_BYTES = 64 << 10;
    private static final int BATCH = 1_000;

    private final Target target;
    private final Jedis control;
    private Optional<RaisedLimit> raised = Optional.empty();

    private MemoryServer(Target target, Jedis control) {
        this.target = target;
        this.control = control;
    }

    /** Why memory cannot be measured at {@code target}; empty if it can. */
    static Optional<String> missing(Target target) {
        var plainTcp = Connections.missingForJedis(target);
        if (plainTcp.isPresent()) {
            return plainTcp;
        }
        try (var jedis = Connections.jedis(target)) {
            String found = memory(jedis).getOrDefault("mem_allocator", "unknown");
            return found.startsWith(ALLOCATOR)
                    ? Optional.empty()
                    : Optional.of("memory is measured on a server with " + ALLOCATOR + ", and this server has " + found
                            + ". Name such a server, or install one for the lab to start (Debian and Ubuntu: apt"
                            + " install redis-server).");
        } catch (JedisException e) {
            throw new LabException(
                    "the server does not tell its allocator: target=" + target + ", cause=" + e.getMessage()
                            + ". Allow the command INFO to the user.",
                    e);
        }
    }

    /**
     * The server without keys of the lab.
     *
     * @param pairs largest number of pairs that the server has had; the table of keys is made small again
     */
    static MemoryServer open(Target target, long pairs) {
        var server = new MemoryServer(target, Connections.jedis(target));
        server.shrinkTable(pairs);
        return server;
    }

    /**
     * Makes the server shrink its table of keys. The server starts to shrink alone, and then continues by a few
     * places with each key that is looked up.
     */
    private void shrinkTable(long places) {
        LockSupport.parkNanos(TWO_CYCLES_OF_THE_SERVER.toNanos());
        var noKeys = IntStream.range(0, BATCH)
                .mapToObj(i -> Keyspace.PREFIX + "none:" + i)
                .toArray(String[]::new);
        for (long lookedUp = 0; lookedUp < places; lookedUp += BATCH) {
            control.mget(noKeys);
        }
    }

    Jedis control() {
        return control;
    }

    /** The version and the allocator. */
    String description() {
        String version = control.info("server")
                .lines()
                .filter(line -> line.startsWith("redis_version:") || line.startsWith("valkey_version:"))
                .collect(Collectors.joining(", "));
        return version + ", " + memory(control).get("mem_allocator");
    }

    /** Largest number of fields of a compact hash. */
    long limit() {
        return Long.parseLong(control.configGet(limitName()).get(limitName()));
    }

    /** The option for the limit; servers before Redis 7.0 have another name. */
    String limitName() {
        var name = "hash-max-listpack-entries";
        return control.configGet(name).isEmpty() ? "hash-max-ziplist-entries" : name;
    }

    /** Raises the limit, if the limit is lower, until {@link #close} or until this JVM ends. */
    void raiseLimit(long limit) {
        long before = limit();
        if (before >= limit) {
            return;
        }
        String name = limitName();
        // A separate connection, because the other connection may be broken, or in use by another thread.
        Runnable restore = () -> {
            try (var another = Connections.jedis(target)) {
                another.configSet(name, Long.toString(before));
            }
        };
        raised = Optional.of(new RaisedLimit(restore, EndWithJvm.run(restore)));
        control.configSet(name, Long.toString(limit));
    }

    /** Restores the limit. If this fails, the end of this JVM tries again. */
    private record RaisedLimit(Runnable restore, EndWithJvm atEnd) {
        void end() {
            restore.run();
            atEnd.cancel();
        }
    }

    /** Used memory without the buffers of clients. Waits, for some seconds at most, until the value is stable. */
    long usedBytes() {
        long last = Long.MIN_VALUE;
        int equal = 0;
        for (int reading = 0; reading < MAX_READINGS && equal < EQUAL_READINGS; reading++) {
            var memory = memory(control);
            long now = number(memory, "used_memory") - number(memory, "mem_clients_normal");
            equal = Math.abs(now - last) <= TOLERANCE_BYTES ? equal + 1 : 0;
            last = now;
            LockSupport.parkNanos(BETWEEN_READINGS.toNanos());
        }
        return last;
    }

    private static long number(Map<String, String> memory, String name) {
        var text = memory.get(name);
        if (text == null) {
            throw new LabException("the server does not report " + name + ". The server must be Redis 6.2 or later.");
        }
        return Long.parseLong(text);
    }

    private static Map<String, String> memory(Jedis jedis) {
        return jedis.info("memory")
                .lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    @Override
    public void close() {
        try (control) {
            raised.ifPresent(RaisedLimit::end);
            raised = Optional.empty();
        }
    }
}
