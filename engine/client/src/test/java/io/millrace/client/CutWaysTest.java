// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.Cut;
import io.millrace.testkit.Ending;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The connection is cut after every single byte of some commands and of their replies, for every way of running them, and each
 * time what the callers were told fits what the server saw. Bulk writers have a {@link CutTest} of their own.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CutWaysTest {

    /** Most of a trial is waiting for threads to begin and to end. */
    private static final int AT_ONCE = 6;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @ParameterizedTest
    @EnumSource(Ending.class)
    void aCutAfterAnyByteOfTheRequestsLeavesExactOutcomes(Ending ending) throws Exception {
        List<CutTrial> trials = new ArrayList<>();
        for (Way way : Way.values()) {
            for (int bytes = 0; bytes < CutTrial.requestBytes(way); bytes++) {
                add(trials, way, Cut.requests(bytes, ending));
            }
        }

        runAll(trials);
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void aCutAfterAnyByteOfTheRepliesLeavesExactOutcomes(Ending ending) throws Exception {
        List<CutTrial> trials = new ArrayList<>();
        for (Way way : Way.values()) {
            for (int bytes = 0; bytes < CutTrial.replyBytes(way); bytes++) {
                add(trials, way, Cut.replies(bytes, ending));
            }
        }

        runAll(trials);
    }

    private static void add(List<CutTrial> trials, Way way, Cut cut) {
        trials.add(CutTrial.of(way, false, cut));
        if (way != Way.TRANSACTION) {
            trials.add(CutTrial.of(way, true, cut));
        }
    }

    private static void runAll(List<CutTrial> trials) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Future<?>> running = new ArrayList<>();
            for (CutTrial trial : trials) {
                running.add(executor.submit(trial::run));
            }
            for (Future<?> trial : running) {
                trial.get();
            }
        }
    }
}
