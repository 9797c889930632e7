// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves a platform thread of Millrace running, and lists these threads.
 *
 * <p>A thread belongs to Millrace if its name starts with {@code millrace}. Threads that were already running before
 * the test are ignored, such as threads of a fixture of the whole class. A thread of the test must end within {@link
 * #TIMEOUT} after the test.
 *
 * <p>To use this check, write {@code @ExtendWith(NoThreadLeft.class)}. Do not run such tests in parallel in one JVM:
 * each test would see the threads of the other tests.
 */
public final class NoThreadLeft implements BeforeEachCallback, AfterEachCallback {

    /** Maximum time from the end of a test until all its threads must have ended. */
    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final String PREFIX = "millrace";
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(NoThreadLeft.class);

    private final Duration timeout;

    public NoThreadLeft() {
        this(TIMEOUT);
    }

    /** Creates a check of running threads that waits for at most {@code timeout}. */
    public NoThreadLeft(Duration timeout) {
        this.timeout = timeout;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(SPACE).put(PREFIX, new HashSet<>(threads()));
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        Set<?> before = context.getStore(SPACE).getOrDefault(PREFIX, Set.class, Set.of());
        long giveUp = System.nanoTime() + timeout.toNanos();
        List<Thread> left = left(before);
        // A thread may start another thread before it ends. So repeat the check until no thread is left or the time is
        // up.
        while (!left.isEmpty() && System.nanoTime() - giveUp < 0) {
            left.getFirst().join(Duration.ofNanos(Math.max(1, giveUp - System.nanoTime())));
            left = left(before);
        }
        if (!left.isEmpty()) {
            throw new AssertionError(describe(left));
        }
    }

    private static List<Thread> left(Set<?> before) {
        return threads().stream().filter(thread -> !before.contains(thread)).toList();
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(PREFIX))
                .toList();
    }

    private String describe(List<Thread> left) {
        return "threads are still running " + timeout.toMillis() + " ms after the test: "
                + left.stream().map(NoThreadLeft::describe).collect(Collectors.joining("; "));
    }

    private static String describe(Thread thread) {
        String at = Arrays.stream(thread.getStackTrace())
                .limit(6)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < "));
        return "name=" + thread.getName() + ", state=" + thread.getState() + ", at=" + at;
    }
}
