// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.CommandSpec;
import io.millrace.resp.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Keeps the outcome of each command of a bulk writer. Fails if a command has two outcomes. */
final class BulkRecorder implements BulkListener {

    final Map<Long, Outcome> outcomes = new HashMap<>();

    @Override
    public void ended(long tag, CommandSpec<?> command, Outcome outcome) {
        Outcome earlier = outcomes.put(tag, outcome);
        if (earlier != null) {
            throw new AssertionError("tag " + tag + " has two outcomes: " + earlier + ", " + outcome);
        }
    }

    /** The number of commands with an outcome of this kind. */
    long count(Class<? extends Outcome> kind) {
        return outcomes.values().stream().filter(kind::isInstance).count();
    }

    /** The elements of the reply to the command {@code tag}, which is an array of texts. */
    List<String> texts(long tag) {
        return ((Reply.ArrayReply) reply(tag))
                .items().stream().map(BulkRecorder::textOf).toList();
    }

    /** The reply to the command {@code tag}, which is a text. */
    String text(long tag) {
        return textOf(reply(tag));
    }

    private Reply reply(long tag) {
        return ((Outcome.Ok) Objects.requireNonNull(outcomes.get(tag))).reply();
    }

    private static String textOf(Reply reply) {
        return reply instanceof Reply.BulkString text ? text.text() : "null";
    }

    /** Describes the outcomes that are not OK, and their numbers. */
    String others() {
        return outcomes.values().stream()
                .filter(outcome -> !(outcome instanceof Outcome.Ok))
                .collect(Collectors.groupingBy(Outcome::toString, Collectors.counting()))
                .toString();
    }
}
