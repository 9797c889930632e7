// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.ArrayList;
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
 * <p>On a thread and a connection of its own: the contender may be at a loss while the server is not, and the other way
 * round.
 */
final class Pulse implements AutoCloseable {

    private static final double SECOND_NANOS = 1e9;

    private final Jedis connection;
    private final Progress progress;
    private final String what;
    private final Look first;

    /** By the thread of {@link #clock}; read by the one that measures. */
    private final List<Look> looks = new CopyOnWriteArrayList<>();

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("lab-pulse").factory());
    private final Future<?> beats;

    /** What the contender said last; written by the thread that reads its answers. */
    private volatile String said = "";

    /** Commands that the server had processed at a moment, these questions not among them. */
    record Look(long nanos, double commands) {}

    private Pulse(Jedis connection, Progress progress, String what) {
        this.connection = connection;
        this.progress = progress;
        this.what = what;
        this.first = new Look(System.nanoTime(), processed());
        this.beats = clock.scheduleAtFixedRate(this::beat, 1, 1, TimeUnit.SECONDS);
    }

    /** Begins to look at {@code server} while {@code what} is being done. */
    static Pulse of(RedisServer server, Progress progress, String what) {
        progress.now(what);
        return new Pulse(server.connect(), progress, what);
    }

    private void beat() {
        try {
            // Each look is itself a command, and is in the next count.
            var look = new Look(System.nanoTime(), processed() - looks.size() - 1);
            looks.add(look);
            progress.now(String.format(
                    Locale.ROOT,
                    "%s: %.0f s, the server did %,.0f commands%s",
                    what,
                    (look.nanos - first.nanos) / SECOND_NANOS,
                    look.commands - first.commands,
                    said));
        } catch (JedisException e) {
            progress.now(what + ": the server does not say how it is: " + e.getMessage());
        }
    }

    /** Shows what the contender says of itself from now on. */
    void note(News news) {
        if (news instanceof Second second) {
            said = "; " + second.inWords();
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

    /** Commands that the server processed in each whole second so far. */
    List<Long> perSecond() {
        return perSecond(first, looks);
    }

    /**
     * A look is rarely taken at the very end of a second: between two of them the server is taken to have been steady.
     */
    static List<Long> perSecond(Look first, List<Look> looks) {
        var perSecond = new ArrayList<Long>();
        double before = 0;
        var last = first;
        for (var look : looks) {
            double from = (last.nanos - first.nanos) / SECOND_NANOS;
            double to = (look.nanos - first.nanos) / SECOND_NANOS;
            while (perSecond.size() + 1 <= to) {
                double part = (perSecond.size() + 1 - from) / (to - from);
                double now = last.commands - first.commands + part * (look.commands - last.commands);
                perSecond.add(Math.max(0, Math.round(now - before)));
                before = now;
            }
            last = look;
        }
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
