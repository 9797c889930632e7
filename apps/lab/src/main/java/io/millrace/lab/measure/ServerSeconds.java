// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.server.RedisServer.CommandCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Asks the server once a second how many commands the server has processed. Uses its own thread and its own connections, because a contender may be blocked while the server works.
 */
final class ServerSeconds implements AutoCloseable {

    private static final double SECOND_NANOS = 1e9;
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    private final CommandCounter counter;
    private final ProgressLine progress;
    private final Look first;
    private final Thread clock;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Written by {@link #clock}. */
    private final List<Look> looks = new CopyOnWriteArrayList<>();

    /** Number of processed commands at a point in time. */
    record Look(long nanos, double commands) {}

    private ServerSeconds(CommandCounter counter, ProgressLine progress) {
        this.counter = counter;
        this.progress = progress;
        this.first = look();
        this.clock = Thread.ofPlatform().daemon().name("lab-server-seconds").start(this::lookEachSecond);
    }

    static ServerSeconds start(RedisServer server, ProgressLine progress) {
        return new ServerSeconds(server.openCounter(), progress);
    }

    private Look look() {
        return new Look(System.nanoTime(), counter.processed());
    }

    private void lookEachSecond() {
        try {
            while (!closed.await(nanosToNextSecond(), TimeUnit.NANOSECONDS)) {
                looks.add(look());
            }
        } catch (JedisException | LabException e) {
            progress.line("the server does not report its commands: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long nanosToNextSecond() {
        long passed = System.nanoTime() - first.nanos;
        return TimeUnit.SECONDS.toNanos(1) - passed % TimeUnit.SECONDS.toNanos(1);
    }

    /** Commands that the server has processed in each complete second so far. */
    List<Long> perSecond() {
        return perSecond(first, looks);
    }

    /** A look is seldom exactly at the end of a second. Between two looks, the speed of the server counts as constant. */
    static List<Long> perSecond(Look first, List<Look> looks) {
        List<Long> perSecond = new ArrayList<>();
        double before = 0;
        Look last = first;
        for (Look look : looks) {
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
        closed.countDown();
        try {
            if (!clock.join(END_LIMIT)) {
                progress.line("the server did not report its commands within " + END_LIMIT.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        counter.close();
    }
}
