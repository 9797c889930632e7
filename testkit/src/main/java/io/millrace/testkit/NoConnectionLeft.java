// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves a connection open, and lists those connections.
 *
 * <p>After the end of the test, each of two conditions must become true within {@link #TIMEOUT}:
 *
 * <ul>
 *   <li>this process has no more open sockets of any kind than before the test (checked on Linux only). Sockets of a
 *       fixture of the whole class do not count, and such a fixture may replace a connection by another;
 *   <li>every server that the test passed to {@link #watch} has no open connection. This covers a server in another
 *       process, and a server in this process that is still open when the test ends.
 * </ul>
 *
 * <p>For the first condition alone use {@code @ExtendWith(NoConnectionLeft.class)}; to watch a server, use a field with
 * {@code @RegisterExtension}. Tests that run in parallel in one JVM would see each other's sockets.
 */
public final class NoConnectionLeft implements BeforeEachCallback, AfterEachCallback {

    /** Maximum time until connections are closed after their test. */
    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final String BEFORE = "before";
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(NoConnectionLeft.class);

    private final Duration timeout;
    private final WatchedValues<Integer> watchedValues = new WatchedValues<>(open -> open == 0);

    public NoConnectionLeft() {
        this(TIMEOUT);
    }

    /** Creates a check with another timeout. */
    public NoConnectionLeft(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Checks a server's number of open connections after this test. The message refers to the server as {@code name}.
     */
    public void watch(String name, IntSupplier openConnections) {
        watchedValues.add(name, openConnections::getAsInt);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(SPACE).put(BEFORE, OpenSockets.inodes());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Set<?> before = context.getStore(SPACE).getOrDefault(BEFORE, Set.class, Set.of());
        List<String> wrong = new ArrayList<>();
        watchedValues.awaitAllRight(timeout).forEach(open -> wrong.add(open + " open connections"));
        if (!Polling.until(() -> OpenSockets.inodes().size() <= before.size(), timeout)) {
            wrong.add(describeAllBut(before));
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError("connections are still open " + timeout.toMillis() + " ms after the test: "
                    + String.join("; ", wrong));
        }
    }

    private static String describeAllBut(Set<?> before) {
        Set<String> left = new HashSet<>(OpenSockets.inodes());
        left.removeIf(before::contains);
        return "socketsBefore=" + before.size() + ", left="
                + left.stream().map(OpenSockets::describe).sorted().collect(Collectors.joining(", ", "[", "]"));
    }
}
