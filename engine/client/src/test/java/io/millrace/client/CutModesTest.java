// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
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
 * Runs some commands in every {@link CallMode} over a connection that the test cuts. Each trial cuts the connection
 * after a different number of bytes: bytes of the commands, or bytes of the replies. After the cut, the outcomes of the
 * commands must match the commands that the server received. {@link CutTest} tests bulk writers in the same way.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CutModesTest {

    /**
     * Number of trials that run at the same time. A trial uses little processor time: it mostly waits for threads to
     * start and to end.
     */
    private static final int THREADS = 6;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @ParameterizedTest
    @EnumSource(ConnectionEnd.class)
    void outcomesAreCorrectAfterACutAtAnyByteOfTheRequests(ConnectionEnd connectionEnd) throws Exception {
        List<CutTrial> trials = new ArrayList<>();
        for (CallMode callMode : CallMode.values()) {
            for (int bytes = 0; bytes < CutTrial.requestBytes(callMode); bytes++) {
                add(trials, callMode, Cut.requests(bytes, connectionEnd));
            }
        }

        runAll(trials);
    }

    @ParameterizedTest
    @EnumSource(ConnectionEnd.class)
    void outcomesAreCorrectAfterACutAtAnyByteOfTheReplies(ConnectionEnd connectionEnd) throws Exception {
        List<CutTrial> trials = new ArrayList<>();
        for (CallMode callMode : CallMode.values()) {
            for (int bytes = 0; bytes < CutTrial.replyBytes(callMode); bytes++) {
                add(trials, callMode, Cut.replies(bytes, connectionEnd));
            }
        }

        runAll(trials);
    }

    private static void add(List<CutTrial> trials, CallMode callMode, Cut cut) {
        trials.add(CutTrial.of(callMode, false, cut));
        if (callMode != CallMode.TRANSACTION) {
            trials.add(CutTrial.of(callMode, true, cut));
        }
    }

    private static void runAll(List<CutTrial> trials) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
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
