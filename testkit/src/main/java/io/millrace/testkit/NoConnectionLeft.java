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
 * Fails a test that leaves a connection behind, and says which.
 *
 * <p>Two things are looked at when the test is over, and each is given {@link #PATIENCE} to become right:
 *
 * <ul>
 *   <li>this process has no more sockets open than before the test, of any kind (Linux only; elsewhere not looked at). Sockets of
 *       a fixture of the whole class are not held against a test, and such a fixture may replace one connection by another;
 *   <li>every server that the test told to {@link #watch} sees no connection any more. For a server in another process, and for one in
 *       this process that is still open when the test ends.
 * </ul>
 *
 * <p>For the first alone use it with {@code @ExtendWith(NoConnectionLeft.class)}; to watch a server, as a field with
 * {@code @RegisterExtension}. Tests that run in parallel in one JVM would see each other's sockets.
 */
public final class NoConnectionLeft implements BeforeEachCallback, AfterEachCallback {

    /** How long connections may take to end after their test. */
    public static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final String BEFORE = "before";
    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(NoConnectionLeft.class);

    private final Duration patience;
    private final Watched<Integer> watched = new Watched<>(open -> open == 0);

    public NoConnectionLeft() {
        this(PATIENCE);
    }

    /** The same with another patience. */
    public NoConnectionLeft(Duration patience) {
        this.patience = patience;
    }

    /** Looks at a server's number of open connections after this test; {@code name} says in the message whose it is. */
    public void watch(String name, IntSupplier openConnections) {
        watched.add(name, openConnections::getAsInt);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(SPACE).put(BEFORE, OpenSockets.inodes());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Set<?> before = context.getStore(SPACE).getOrDefault(BEFORE, Set.class, Set.of());
        List<String> wrong = new ArrayList<>();
        watched.wrong(patience).forEach(open -> wrong.add(open + " open connections"));
        if (!Polling.until(() -> OpenSockets.inodes().size() <= before.size(), patience)) {
            wrong.add(describeAllBut(before));
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(
                    "connections outlived the test after " + patience.toMillis() + " ms: " + String.join("; ", wrong));
        }
    }

    private static String describeAllBut(Set<?> before) {
        Set<String> left = new HashSet<>(OpenSockets.inodes());
        left.removeIf(before::contains);
        return "socketsBefore=" + before.size() + ", left="
                + left.stream().map(OpenSockets::describe).sorted().collect(Collectors.joining(", ", "[", "]"));
    }
}
