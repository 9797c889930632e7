// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Asks the server once a second how many commands it has processed, from its making until it is closed, and shows it.
 *
 * <p>On a thread and a connection of its own: the contender may be at a loss while the server is not, and the other way round.
 */
final class Pulse implements AutoCloseable {

    private final Jedis connection;
    private final Progress progress;
    private final String what;
    private final long before;

    /** Commands processed in each second; written by the thread of {@link #clock}, read when that has ended. */
    private final List<Long> perSecond = new CopyOnWriteArrayList<>();

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("lab-pulse").factory());

    private final Future<?> beats;

    private Pulse(Jedis connection, Progress progress, String what) {
        this.connection = connection;
        this.progress = progress;
        this.what = what;
        this.before = processed();
        this.beats = clock.scheduleAtFixedRate(this::beat, 1, 1, TimeUnit.SECONDS);
    }

    /** Begins to look at {@code server} while {@code what} is being done. */
    static Pulse of(RedisServer server, Progress progress, String what) {
        progress.now(what);
        return new Pulse(server.connect(), progress, what);
    }

    private void beat() {
        long sum = perSecond.stream().mapToLong(Long::longValue).sum();
        long questions = perSecond.size() + 1L; // each look is itself a command, and is in the next count
        try {
            long now = processed() - before - questions;
            perSecond.add(Math.max(0, now - sum));
            progress.now(
                    String.format(Locale.ROOT, "%s: %d s, the server did %,d commands", what, perSecond.size(), now));
        } catch (JedisException e) {
            progress.now(what + ": the server does not say how it is: " + e.getMessage());
        }
    }

    private long processed() {
        return connection
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("total_commands_processed:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElse(0);
    }

    /** Commands that the server processed in each second so far. */
    List<Long> perSecond() {
        return List.copyOf(perSecond);
    }

    @Override
    public void close() {
        beats.cancel(false);
        clock.shutdown();
        try {
            if (!clock.awaitTermination(5, TimeUnit.SECONDS)) {
                progress.line("the look at the server did not come back in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }
}
