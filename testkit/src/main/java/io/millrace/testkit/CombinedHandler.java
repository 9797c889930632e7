// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * A handler that combines three sources: {@code greetings} gives the greeting of each connection, {@code
 * permissionTests} gives the answers to permission tests, {@code answers} gives the answers to the other commands.
 */
record CombinedHandler(
        IntFunction<Answer> greetings, Function<ReceivedCommand, Answer> permissionTests, Handler answers)
        implements Handler {

    @Override
    public Answer answer(ReceivedCommand command) {
        return answers.answer(command);
    }

    @Override
    public Answer greeting(int connection) {
        return greetings.apply(connection);
    }

    @Override
    public Answer permissionTest(ReceivedCommand command) {
        return permissionTests.apply(command);
    }
}
