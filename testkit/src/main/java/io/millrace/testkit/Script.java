// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The commands that one connection is expected to send, in order, and their answers.
 *
 * <p>This is no Lua script. The test prepares it before the connection exists. After that, only the connection's thread
 * uses it.
 */
public final class Script {

    private final Queue<Step> steps = new ArrayDeque<>();

    private Script() {}

    /**
     * Returns a handler that answers the n-th connection with the n-th script of prepared replies. A connection without
     * prepared replies fails the test.
     */
    @SafeVarargs
    public static Handler perConnection(Consumer<Script>... scripts) {
        List<Script> written = new ArrayList<>();
        for (Consumer<Script> author : scripts) {
            Script script = new Script();
            author.accept(script);
            written.add(script);
        }
        return command -> {
            if (command.connection() >= written.size()) {
                throw new AssertionError("no replies were prepared for a connection: " + command);
            }
            return written.get(command.connection()).play(command);
        };
    }

    /**
     * Expects the next command to start with these arguments, the name in upper or lower case. Further arguments are
     * allowed.
     *
     * <p>{@link Expectation#reply} or {@link Expectation#answer} sets the answer to the command.
     */
    public Expectation expect(String... arguments) {
        return new Expectation(List.of(arguments));
    }

    /** Answers {@code command}, or throws an {@link AssertionError} that names the expected command. */
    Answer play(ReceivedCommand command) {
        Step step = steps.poll();
        if (step == null) {
            throw new AssertionError("received a command after the last expected command: " + command);
        }
        if (!step.fits(command)) {
            throw new AssertionError(
                    "received an unexpected command: expected=" + step.arguments + ", received=" + command);
        }
        return step.answer;
    }

    /** An expected command whose answer is not set yet. */
    public final class Expectation {
        private final List<String> arguments;

        private Expectation(List<String> arguments) {
            this.arguments = arguments;
        }

        /** Sets the raw {@code reply} as the answer. */
        public Script reply(String reply) {
            return answer(Answer.reply(reply));
        }

        /** Sets {@code answer} as the answer. */
        public Script answer(Answer answer) {
            steps.add(new Step(arguments, answer));
            return Script.this;
        }
    }

    private record Step(List<String> arguments, Answer answer) {

        boolean fits(ReceivedCommand command) {
            if (command.arguments().size() < arguments.size()
                    || !command.name().equalsIgnoreCase(arguments.getFirst())) {
                return false;
            }
            for (int i = 1; i < arguments.size(); i++) {
                if (!Arrays.equals(
                        arguments.get(i).getBytes(UTF_8), command.arguments().get(i))) {
                    return false;
                }
            }
            return true;
        }
    }
}
