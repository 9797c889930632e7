// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test after which a watched account is not closed, and says all its figures.
 *
 * <p>Closed is {@code submitted = ok + error + timedOut + refused + lost} with nothing pending and nothing negative. What is
 * still pending when the test ends is given {@link #PATIENCE} to get its outcome. Figures are asked for on the thread of the
 * test, after its {@code @AfterEach} methods, and several times: they must be there when what they tell of has been closed. A
 * test that watches nothing passes.
 *
 * <pre>{@code
 * @RegisterExtension
 * final AccountCheck accounts = new AccountCheck();
 *
 * accounts.watch("client", () -> figures(client));
 * }</pre>
 */
public final class AccountCheck implements AfterEachCallback {

    /** How long pending commands may take to get their outcome, in all. */
    public static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Duration patience;
    private final Watched<Figures> watched = new Watched<>(Figures::isClosed);

    public AccountCheck() {
        this(PATIENCE);
    }

    /** The same with another patience. */
    public AccountCheck(Duration patience) {
        this.patience = patience;
    }

    /** Looks at {@code figures} after this test; {@code name} says in the message whose they are. */
    public void watch(String name, Supplier<Figures> figures) {
        watched.add(name, figures);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> wrong = watched.wrong(patience);
        if (!wrong.isEmpty()) {
            throw new AssertionError(
                    "accounts are not closed after " + patience.toMillis() + " ms: " + String.join("; ", wrong));
        }
    }
}
