// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandServer;
import io.millrace.client.RawConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class ListsTest {

    private static final Duration SHORT = Duration.ofMillis(1);

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final int protocol;
    private final RawConnection redis;

    ListsTest(int protocol) {
        this.protocol = protocol;
        this.redis = SERVER.connect(protocol);
    }

    @Test
    void elementsArePushedAndPoppedAtBothEnds() {
        assertThat(redis.run(Lists.pushRight("l", "c", "d", "e"))).isEqualTo(3);
        assertThat(redis.run(Lists.pushLeft("l", "b", "a"))).isEqualTo(5);
        assertThat(redis.run(Lists.size("l"))).isEqualTo(5);
        assertThat(redis.run(Lists.popLeft("l"))).hasValue("a");
        assertThat(redis.run(Lists.popRight("l"))).hasValue("e");
        assertThat(redis.run(Lists.popRight("l", 2))).containsExactly("d", "c");
        assertThat(redis.run(Lists.popLeft("l", 9))).containsExactly("b");
    }

    @Test
    void popFromAMissingListReturnsNoElement() {
        assertThat(redis.run(Lists.popLeft("none"))).isEmpty();
        assertThat(redis.run(Lists.popRight("none"))).isEmpty();
        assertThat(redis.run(Lists.popLeft("none", 2))).isEmpty();
        assertThat(redis.run(Lists.popRight("none", 2))).isEmpty();
        assertThat(redis.run(Lists.size("none"))).isZero();
    }

    @Test
    void listIsReadByRangeAndShortenedByRemoveAndByTrim() {
        redis.run(Lists.pushRight("l", "x", "a", "x", "b", "x"));

        assertThat(redis.run(Lists.range("l", 1, -2))).containsExactly("a", "x", "b");
        assertThat(redis.run(Lists.remove("l", -1, "x"))).isEqualTo(1);
        assertThat(redis.run(Lists.range("l", 0, -1))).containsExactly("x", "a", "x", "b");
        assertThat(redis.run(Lists.trim("l", 0, 1))).isEqualTo("OK");
        assertThat(redis.run(Lists.range("l", 0, -1))).containsExactly("x", "a");
        assertThat(redis.run(Lists.range("none", 0, -1))).isEmpty();
    }

    @Test
    void elementsMoveBetweenLists() {
        redis.run(Lists.pushRight("from", "a", "b"));

        assertThat(redis.run(Lists.move("from", ListEnd.RIGHT, "to", ListEnd.LEFT)))
                .hasValue("b");
        assertThat(redis.run(Lists.awaitMove(SHORT, "from", ListEnd.LEFT, "to", ListEnd.RIGHT)))
                .hasValue("a");
        assertThat(redis.run(Lists.range("to", 0, -1))).containsExactly("b", "a");
        assertThat(redis.run(Lists.move("from", ListEnd.LEFT, "to", ListEnd.LEFT)))
                .isEmpty();
        assertThat(redis.run(Lists.awaitMove(SHORT, "from", ListEnd.LEFT, "to", ListEnd.LEFT)))
                .isEmpty();
    }

    @Test
    void blockingPopReturnsAnExistingElementAtOnce() {
        redis.run(Lists.pushRight("b", "1", "2", "3"));

        assertThat(redis.run(Lists.awaitLeft(Duration.ofDays(1), "a", "b"))).hasValue(new PopResult<>("b", "1"));
        assertThat(redis.run(Lists.awaitRight(Duration.ofDays(1), "a", "b"))).hasValue(new PopResult<>("b", "3"));
        assertThat(redis.run(Lists.awaitLeft(SHORT, "a"))).isEmpty();
        assertThat(redis.run(Lists.awaitRight(SHORT, "a"))).isEmpty();
    }

    @Test
    void blockingPopReturnsAnElementPushedLater() throws Exception {
        RawConnection waiting = SERVER.another(protocol);
        long waiter = waiting.run(Server.clientId());

        CompletableFuture<?> popped =
                CompletableFuture.supplyAsync(() -> waiting.run(Lists.awaitLeft(Duration.ofSeconds(60), "l")));
        while (!redis.run(Command.of("CLIENT LIST", "ID", waiter).as(Replies::text))
                .contains("cmd=blpop")) {
            Thread.onSpinWait();
        }
        redis.run(Lists.pushRight("l", "x"));

        assertThat(popped.get(60, TimeUnit.SECONDS)).isEqualTo(Optional.of(new PopResult<>("l", "x")));
    }

    @Test
    void elementsAreReadReplacedAndInsertedByIndexOrPivot() {
        redis.run(Lists.pushRight("l", "a", "b", "a"));

        assertThat(redis.run(Lists.get("l", -1))).hasValue("a");
        assertThat(redis.run(Lists.get("l", 3))).isEmpty();
        assertThat(redis.run(Lists.set("l", 1, "x"))).isEqualTo("OK");
        assertThat(redis.run(Lists.insertBefore("l", "x", "before"))).hasValue(4L);
        assertThat(redis.run(Lists.insertAfter("l", "x", "after"))).hasValue(5L);
        assertThat(redis.run(Lists.insertAfter("l", "none", "y"))).isEmpty();
        assertThat(redis.run(Lists.insertAfter("none", "x", "y"))).isEmpty();
        assertThat(redis.run(Lists.range("l", 0, -1))).containsExactly("a", "before", "x", "after", "a");
    }

    @Test
    void indexesOfAnElementAreFoundFromBothEnds() {
        redis.run(Lists.pushRight("l", "a", "b", "a", "a"));

        assertThat(redis.run(Lists.indexOf("l", "a"))).hasValue(0L);
        assertThat(redis.run(Lists.lastIndexOf("l", "a"))).hasValue(3L);
        assertThat(redis.run(Lists.indexOf("l", "none"))).isEmpty();
        assertThat(redis.run(Lists.indexesOf("l", "a", 2))).containsExactly(0L, 2L);
        assertThat(redis.run(Lists.indexesOf("none", "a", 2))).isEmpty();
    }

    @Test
    void pushIfPresentDoesNotCreateAList() {
        assertThat(redis.run(Lists.pushLeftIfPresent("l", "a"))).isZero();
        assertThat(redis.run(Lists.pushRightIfPresent("l", "a"))).isZero();
        redis.run(Lists.pushRight("l", "m"));

        assertThat(redis.run(Lists.pushLeftIfPresent("l", "a", "b"))).isEqualTo(3);
        assertThat(redis.run(Lists.pushRightIfPresent("l", "z"))).isEqualTo(4);
        assertThat(redis.run(Lists.range("l", 0, -1))).containsExactly("b", "a", "m", "z");
    }
}
