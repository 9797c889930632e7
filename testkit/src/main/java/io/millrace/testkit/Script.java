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
 * <p>The test writes the script before the connection exists. Then only the connection's thread uses it.
 */
public final class Script {

    private final Queue<Step> steps = new ArrayDeque<>();

    private Script() {}

    /**
     * A handler with which the n-th connection follows the n-th script. A connection without a script is a failure.
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
                throw new AssertionError("there is no script for a connection: " + command);
            }
            return written.get(command.connection()).play(command);
        };
    }

    /**
     * Expects the next command to start with these arguments, the name in any case. Further arguments are allowed.
     *
     * <p>{@link Expectation#reply} or {@link Expectation#answer} sets its answer.
     */
    public Expectation expect(String... arguments) {
        return new Expectation(List.of(arguments));
    }

    /** Answers {@code command}, or throws an {@link AssertionError} that names the expected command. */
    Answer play(ReceivedCommand command) {
        Step step = steps.poll();
        if (step == null) {
            throw new AssertionError("received a command after the end of the script: " + command);
        }
        if (!step.fits(command)) {
            throw new AssertionError(
                    "received another command than expected: expected=" + step.arguments + ", received=" + command);
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
