// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.server.RedisServer.CommandCounter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Collects and shows the events of one round. Asks the server once a second how many commands the server has processed,
 * with its own thread and its own connections, because a contender may be blocked while the server works.
 */
final class RoundWatch implements Consumer<ProgressEvent>, AutoCloseable {

    /** Number of the last letters that the progress line shows. */
    private static final int SHOWN_MARKS = 60;

    private static final double SECOND_NANOS = 1e9;
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    private final String title;
    private final ProgressLine progress;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Optional<Thread> clock;

    /** Written by the thread that reads the answers of the contender. */
    private final List<ProgressEvent.Second> seconds = new CopyOnWriteArrayList<>();

    /** Used by the thread that reads the answers of the contender. */
    private final StringBuilder marks = new StringBuilder();

    /** Written by this thread at the start, then by {@link #clock}. */
    private final List<Look> looks = new CopyOnWriteArrayList<>();

    /** Number of processed commands at a point in time. */
    record Look(long nanos, double commands) {}

    private RoundWatch(String title, ProgressLine progress, Optional<CommandCounter> counter) {
        this.title = title;
        this.progress = progress;
        this.clock = counter.map(used -> {
            looks.add(new Look(System.nanoTime(), used.processed()));
            return Thread.ofPlatform().daemon().name("lab-server-seconds").start(() -> lookEachSecond(used));
        });
    }

    /** Starts a round. {@code server} is empty for work without Redis. */
    static RoundWatch start(String title, ProgressLine progress, Optional<RedisServer> server) {
        return new RoundWatch(title, progress, server.map(RedisServer::openCounter));
    }

    private void lookEachSecond(CommandCounter counter) {
        try (counter) {
            while (!closed.await(nanosToNextSecond(), TimeUnit.NANOSECONDS)) {
                looks.add(new Look(System.nanoTime(), counter.processed()));
            }
        } catch (JedisException | LabException e) {
            progress.line("the server does not report its commands: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long nanosToNextSecond() {
        long passed = System.nanoTime() - looks.getFirst().nanos;
        return TimeUnit.SECONDS.toNanos(1) - passed % TimeUnit.SECONDS.toNanos(1);
    }

    @Override
    public void accept(ProgressEvent event) {
        switch (event) {
            case ProgressEvent.Second second -> {
                seconds.add(second);
                progress.now(title + ": " + text(second));
            }
            case ProgressEvent.Mark mark -> {
                marks.append(mark.letter());
                progress.now(title + ": " + marks.substring(Math.max(0, marks.length() - SHOWN_MARKS)));
            }
        }
    }

    private static String text(ProgressEvent.Second second) {
        return String.format(
                Locale.ROOT,
                "second %d: issued %,d, ok %,d, failed %,d, pending %,d",
                second.number(),
                second.issued(),
                second.outcomes().ok(),
                second.outcomes().failed(),
                second.pending());
    }

    /** The seconds so far, with the commands that the server has processed in each complete second. */
    List<ProgressEvent.Second> seconds() {
        List<Long> counted = perSecond(looks);
        return seconds.stream()
                .map(second -> second.number() <= counted.size()
                        ? second.withServerCommands(counted.get(second.number() - 1))
                        : second)
                .toList();
    }

    /** A look is seldom exactly at the end of a second. Between two looks, the speed of the server counts as constant. */
    static List<Long> perSecond(List<Look> looks) {
        List<Long> perSecond = new ArrayList<>();
        double before = 0;
        for (int index = 1; index < looks.size(); index++) {
            Look first = looks.getFirst();
            Look last = looks.get(index - 1);
            Look look = looks.get(index);
            double from = (last.nanos - first.nanos) / SECOND_NANOS;
            double to = (look.nanos - first.nanos) / SECOND_NANOS;
            while (perSecond.size() + 1 <= to) {
                double part = (perSecond.size() + 1 - from) / (to - from);
                double now = last.commands - first.commands + part * (look.commands - last.commands);
                perSecond.add(Math.max(0, Math.round(now - before)));
                before = now;
            }
        }
        return List.copyOf(perSecond);
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            if (clock.isPresent() && !clock.get().join(END_LIMIT)) {
                progress.line("the server did not report its commands within " + END_LIMIT.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
