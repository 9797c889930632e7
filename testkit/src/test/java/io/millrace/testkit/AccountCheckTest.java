// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccountCheckTest {

    @ParameterizedTest
    @ValueSource(strings = {"watchesNothing", "isClosed", "isClosedSoon"})
    void aClosedAccountIsFine(String test) {
        ExtensionRun.of(Accounts.class, test).assertSucceeded();
    }

    @Test
    void anAccountThatDoesNotAddUpFailsItsTestWithAllItsFigures() {
        assertThat(ExtensionRun.of(Accounts.class, "losesACommand").failure())
                .contains("accounts are not closed after 20 ms: name=client, "
                        + "submitted=22, ok=1, error=2, timedOut=3, refused=4, lost=5, pending=0, missing=7");
    }

    @Test
    void aPendingCommandFailsItsTest() {
        assertThat(ExtensionRun.of(Accounts.class, "keepsOnePending").failure())
                .contains("name=client, submitted=1, ok=0, error=0, timedOut=0, refused=0, lost=0, pending=1");
    }

    @Test
    void aNegativeFigureIsNoWayToAddUp() {
        assertThat(ExtensionRun.of(Accounts.class, "countsBackwards").failure()).contains("ok=2", "lost=-1");
    }

    @Test
    void onlyTheAccountsThatAreWrongAreNamed() {
        assertThat(ExtensionRun.of(Accounts.class, "isHalfWrong").failure())
                .contains("name=second, ")
                .contains("name=third, figures=java.lang.IllegalStateException: gone")
                .doesNotContain("name=first");
    }

    @Test
    void anAccountIsWatchedForOneTestOnly() {
        Accounts.SHARED.watch("left over", () -> figures(1, 0, 1));

        String first = ExtensionRun.of(Accounts.class, "watchesNothing").failure();

        assertThat(first).contains("name=left over");
        ExtensionRun.of(Accounts.class, "watchesNothing").assertSucceeded();
    }

    private static Figures figures(long submitted, long ok, long pending) {
        return new Figures(submitted, ok, 0, 0, 0, 0, pending);
    }

    /** Run by the tests above only: nested static classes are no test classes of the build. */
    static class Accounts {

        @RegisterExtension
        static final AccountCheck SHARED = new AccountCheck(Duration.ofMillis(20));

        @RegisterExtension
        final AccountCheck accounts = new AccountCheck(Duration.ofMillis(20));

        @RegisterExtension
        final AccountCheck patient = new AccountCheck();

        @Test
        void watchesNothing() {}

        @Test
        void isClosed() {
            accounts.watch("client", () -> new Figures(15, 1, 2, 3, 4, 5, 0));
        }

        @Test
        void isClosedSoon() {
            AtomicInteger looks = new AtomicInteger(5);
            patient.watch("client", () -> figures(5, 5 - looks.get(), looks.getAndUpdate(now -> Math.max(0, now - 1))));
        }

        @Test
        void losesACommand() {
            accounts.watch("client", () -> new Figures(22, 1, 2, 3, 4, 5, 0));
        }

        @Test
        void keepsOnePending() {
            accounts.watch("client", () -> figures(1, 0, 1));
        }

        @Test
        void countsBackwards() {
            accounts.watch("client", () -> new Figures(1, 2, 0, 0, 0, -1, 0));
        }

        @Test
        void isHalfWrong() {
            Supplier<Figures> broken = () -> {
                throw new IllegalStateException("gone");
            };
            accounts.watch("first", () -> figures(1, 1, 0));
            accounts.watch("second", () -> figures(2, 1, 0));
            accounts.watch("third", broken);
        }
    }
}
