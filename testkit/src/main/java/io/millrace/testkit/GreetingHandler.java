// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.util.function.IntFunction;

/** A handler that takes its greetings from one source and its answers from another handler. */
record GreetingHandler(IntFunction<Answer> greetings, Handler answers) implements Handler {

    @Override
    public Answer answer(ReceivedCommand command) {
        return answers.answer(command);
    }

    @Override
    public Answer greeting(int connection) {
        return greetings.apply(connection);
    }
}
