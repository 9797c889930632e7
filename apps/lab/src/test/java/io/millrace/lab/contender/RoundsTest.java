// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.run.LabException;
import io.millrace.lab.run.WarmContender.Rounds;
import io.millrace.lab.workload.PairData;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RoundsTest {

    private static final int OPERATIONS = 4_000;
    private static final int GETS = OPERATIONS / 2;

    /** A server of which one reply to a {@code GET} goes astray; 0 for none. */
    static final class Store {

        private static final String NOTHING = "";

        private final Map<String, String> values = new ConcurrentHashMap<>();
        private final AtomicInteger gets = new AtomicInteger();
        private final int astray;

        Store(int astray) {
            this.astray = astray;
        }

        String set(String key, String value) {
            values.put(key, value);
            return "OK";
        }

        String get(String key) {
            return gets.incrementAndGet() == astray ? "value:somebody's" : values.getOrDefault(key, NOTHING);
        }

        static @Nullable String text(String reply) {
            return reply.equals(NOTHING) ? null : reply;
        }
    }

    private record Caller(Store store) implements CallRounds.Client {

        @Override
        public String set(String key, String value) {
            return store.set(key, value);
        }

        @Override
        public @Nullable String get(String key) {
            return Store.text(store.get(key));
        }

        @Override
        public void close() {}
    }

    private record Sender(Store store) implements SendRounds.Client<String> {

        @Override
        public CompletableFuture<String> set(String key, String value) {
            return CompletableFuture.completedFuture(store.set(key, value));
        }

        @Override
        public CompletableFuture<String> get(String key) {
            return CompletableFuture.completedFuture(store.get(key));
        }

        @Override
        public @Nullable String text(String reply) {
            return Store.text(reply);
        }

        @Override
        public void close() {}
    }

    private record Pipes(Store store) implements PipelineRounds.Client<String, String> {

        @Override
        public void begin() {}

        @Override
        public String set(String key, String value) {
            return store.set(key, value);
        }

        @Override
        public String get(String key) {
            return store.get(key);
        }

        @Override
        public void run() {}

        @Override
        public String setReply(String result) {
            return result;
        }

        @Override
        public @Nullable String getReply(String result) {
            return Store.text(result);
        }

        @Override
        public void close() {}
    }

    static Stream<Arguments> programs() {
        return Stream.of(
                program(
                        "one caller",
                        store -> new CallRounds(PairData.of(1), Callers.PLATFORM, OPERATIONS, new Caller(store))),
                program(
                        "64 callers",
                        store -> new CallRounds(PairData.of(64), Callers.VIRTUAL, OPERATIONS, new Caller(store))),
                program("a window", store -> new SendRounds<>(100, OPERATIONS, new Sender(store))),
                program("pipelines", store -> new PipelineRounds<>(300, OPERATIONS, new Pipes(store))));
    }

    private static Arguments program(String name, Function<Store, Rounds> program) {
        return Arguments.of(name, program);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programs")
    void everyOperationIsDoneOnce(String name, Function<Store, Rounds> program) throws Exception {
        var store = new Store(0);

        program.apply(store).run();

        assertThat(store.gets.get()).as(name).isEqualTo(GETS);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programs")
    void oneReplyThatIsSomebodyElsesIsNoticed(String name, Function<Store, Rounds> program) {
        for (int astray : new int[] {1, 2, GETS / 2, GETS}) {
            var rounds = program.apply(new Store(astray));

            assertThatThrownBy(rounds::run)
                    .as(name)
                    .satisfiesAnyOf(
                            failure -> assertThat(failure).isInstanceOf(LabException.class),
                            failure -> assertThat(failure).hasCauseInstanceOf(LabException.class))
                    .hasMessageContaining("reply=value:somebody's");
        }
    }
}
