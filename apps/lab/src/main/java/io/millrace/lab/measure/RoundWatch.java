// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.server.RedisServer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Collects the events of one round, shows them, and adds what the server counts in each second. */
final class RoundWatch implements Consumer<ProgressEvent>, AutoCloseable {

    /** Number of the last letters that the progress line shows. */
    private static final int SHOWN_MARKS = 60;

    private final String title;
    private final ProgressLine progress;
    private final Optional<ServerSeconds> server;

    /** Written by the thread that reads the answers of the contender. */
    private final List<ProgressEvent.Second> seconds = new CopyOnWriteArrayList<>();

    /** Used by the thread that reads the answers of the contender. */
    private final StringBuilder marks = new StringBuilder();

    private RoundWatch(String title, ProgressLine progress, Optional<ServerSeconds> server) {
        this.title = title;
        this.progress = progress;
        this.server = server;
    }

    /** Starts a round. {@code server} is empty for work without Redis. */
    static RoundWatch start(String title, ProgressLine progress, Optional<RedisServer> server) {
        return new RoundWatch(title, progress, server.map(used -> ServerSeconds.start(used, progress)));
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

    /** The seconds so far, with the count of the server. */
    List<ProgressEvent.Second> seconds() {
        List<Long> counted = server.map(ServerSeconds::perSecond).orElse(List.of());
        return seconds.stream()
                .map(second -> second.number() <= counted.size()
                        ? second.withServerCommands(counted.get(second.number() - 1))
                        : second)
                .toList();
    }

    @Override
    public void close() {
        server.ifPresent(ServerSeconds::close);
    }
}
