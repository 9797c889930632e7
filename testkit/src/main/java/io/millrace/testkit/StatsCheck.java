// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test whose watched stats are inconsistent when the test ends. The message lists all figures.
 *
 * <p>The stats are consistent if {@code submitted = ok + error + timedOut + refused + lost}, no command is pending and
 * no figure is negative. Commands that are still pending when the test ends must receive their outcome within {@link
 * #TIMEOUT}. The figures are read on the thread of the test, after its {@code @AfterEach} methods, and several times.
 * They must stay readable after the client is closed. A test that watches nothing passes.
 *
 * <pre>{@code
 * @RegisterExtension
 * final StatsCheck stats = new StatsCheck();
 *
 * stats.watch("client", () -> figures(client));
 * }</pre>
 */
public final class StatsCheck implements AfterEachCallback {

    /** Maximum time, in all, until pending commands must have received their outcome. */
    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Duration timeout;
    private final WatchedValues<OutcomeCounts> watchedValues = new WatchedValues<>(OutcomeCounts::isClosed);

    public StatsCheck() {
        this(TIMEOUT);
    }

    /** Creates a check with another timeout. */
    public StatsCheck(Duration timeout) {
        this.timeout = timeout;
    }

    /** Checks {@code figures} after this test. The message refers to them as {@code name}. */
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
