// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test if the stats that it watches are inconsistent after the test. The message lists all numbers of these
 * stats.
 *
 * <p>Stats are consistent if three conditions are true:
 *
 * <ul>
 *   <li>{@code submitted = ok + error + timedOut + refused + lost};
 *   <li>no command is pending;
 *   <li>no number is negative.
 * </ul>
 *
 * <p>Commands that are pending when the test ends must receive their outcome within {@link #TIMEOUT}. The thread of the
 * test reads the stats several times, after the {@code @AfterEach} methods. So the stats must be readable even after
 * the client is closed. A test that watches no stats passes.
 *
 * <pre>{@code
 * @RegisterExtension
 * final StatsCheck stats = new StatsCheck();
 *
 * stats.watch("client", () -> figures(client));
 * }</pre>
 */
public final class StatsCheck implements AfterEachCallback {

    /** Maximum time from the end of a test until all pending commands must have received their outcome. */
    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Duration timeout;
    private final WatchedValues<OutcomeCounts> watchedValues = new WatchedValues<>(OutcomeCounts::isClosed);

    public StatsCheck() {
        this(TIMEOUT);
    }

    /** Creates a check of the stats that waits for at most {@code timeout}. */
    public StatsCheck(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Checks the numbers that {@code figures} returns after this test. A failure message contains them with the name
     * {@code name}.
     */
    public void watch(String name, Supplier<OutcomeCounts> figures) {
        watchedValues.add(name, figures);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> wrong = watchedValues.awaitAllRight(timeout);
        if (!wrong.isEmpty()) {
            throw new AssertionError("the stats are inconsistent " + timeout.toMillis() + " ms after the test: "
                    + String.join("; ", wrong));
        }
    }
}
