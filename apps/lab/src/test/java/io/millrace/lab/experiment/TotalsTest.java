// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.library.Counters.Ending;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Second;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TotalsTest {

    private static final int THREADS = 8;
    private static final int EACH = 20_000;

    @Test
    void eachEndingIsCountedAsWhatItIs() {
        var totals = new Totals();
        int times = 0;
        for (var ending : Ending.values()) {
            times++;
            for (int i = 0; i < times; i++) {
                totals.issue();
                totals.settle(ending);
            }
        }
        totals.issue();

        assertThat(totals.outcomes()).isEqualTo(new Outcomes(1, 2, 3, 4, 5));
        assertThat(totals.issued()).isEqualTo(16);
        assertThat(totals.pending()).isEqualTo(1);
    }

    @Test
    void aSecondIsWhatCameSinceTheOneBefore() {
        var totals = new Totals();
        totals.issue();
        totals.issue();
        totals.settle(Ending.OK);
        var first = totals.since(1);
        totals.settle(Ending.TIMED_OUT);
        totals.issue();

        assertThat(first).isEqualTo(new Second(1, 2, new Outcomes(1, 0, 0, 0, 0), 1, -1));
        assertThat(totals.since(2)).isEqualTo(new Second(2, 1, new Outcomes(0, 0, 1, 0, 0), 1, -1));
        assertThat(totals.since(3)).isEqualTo(new Second(3, 0, Outcomes.NONE, 1, -1));
    }

    @Test
    void theSecondsAddUpToTheWholeWhileOthersSettle() throws Exception {
        var totals = new Totals();
        var seconds = new ArrayList<Second>();
        try (var executor = Executors.newFixedThreadPool(THREADS)) {
            var parts = IntStream.range(0, THREADS)
                    .<Callable<Integer>>mapToObj(thread -> () -> settle(totals))
                    .map(executor::submit)
                    .collect(Collectors.toList());
            while (!parts.stream().allMatch(part -> part.isDone())) {
                seconds.add(totals.since(seconds.size() + 1));
            }
            for (var part : parts) {
                part.get();
            }
        }
        seconds.add(totals.since(seconds.size() + 1));

        long all = (long) THREADS * EACH;
        assertThat(seconds).allSatisfy(second -> assertThat(second.pending()).isBetween(0L, all));
        assertThat(seconds.stream().mapToLong(Second::iterations).sum()).isEqualTo(all);
        assertThat(seconds.stream()
                        .mapToLong(second -> second.outcomes().settled())
                        .sum())
                .isEqualTo(all);
        assertThat(seconds.getLast().pending()).isZero();
        assertThat(totals.outcomes()).isEqualTo(new Outcomes(all / 2, 0, all / 2, 0, 0));
    }

    private static int settle(Totals totals) {
        for (int n = 0; n < EACH; n++) {
            totals.issue();
            totals.settle(n % 2 == 0 ? Ending.OK : Ending.TIMED_OUT);
        }
        return EACH;
    }
}
