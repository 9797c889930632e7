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
 * Fails a test that leaves a connection open, and lists the open connections.
 *
 * <p>The extension checks two conditions after each test. Each of them must become true within {@link #TIMEOUT}:
 *
 * <ul>
 *   <li>the number of open sockets of this process, of any kind, is not larger than before the test. This condition is
 *       checked on Linux only. Sockets that were open before the test are allowed, such as sockets of a fixture of the
 *       whole class. The test may replace such a socket by another socket;
 *   <li>every server that the test passed to {@link #watch} has no open connection. The server may run in another
 *       process, or it may run in this process and still be open when the test ends.
 * </ul>
 *
 * <p>To check the first condition only, use {@code @ExtendWith(NoConnectionLeft.class)}. To check servers too, use a
 * field with {@code @RegisterExtension}. Do not run such tests in parallel in one JVM: each test would see the sockets
 * of the other tests.
 */
public final class NoConnectionLeft implements BeforeEachCallback, AfterEachCallback {

    /** Maximum time from the end of a test until its connections must be closed. */
    public static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final String BEFORE = "before";
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(NoConnectionLeft.class);

    private final Duration timeout;
    private final WatchedValues<Integer> watchedValues = new WatchedValues<>(open -> open == 0);

    public NoConnectionLeft() {
        this(TIMEOUT);
    }

    /** Creates a check of open connections that waits for at most {@code timeout}. */
    public NoConnectionLeft(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * After this test, checks that a server has no open connection. The failure message contains {@code name} as the
     * name of the server.
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
