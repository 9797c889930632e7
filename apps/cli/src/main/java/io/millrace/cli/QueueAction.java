// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Locale;

/** What {@code millrace queue} does. */
enum QueueAction {
    STATS("the numbers of jobs, the workers and the counters"),
    PEEK("the waiting jobs that are taken next"),
    DEAD("the dead jobs, the newest first, with their reasons"),
    REDRIVE("makes dead jobs wait again, the oldest first"),
    PAUSE("workers take no more jobs until the queue is resumed"),
    RESUME("ends a pause"),
    PURGE("removes the jobs of one part of the queue");

    private final String meaning;

    QueueAction(String meaning) {
        this.meaning = meaning;
    }

    /** Parses the word of an action. */
    static QueueAction parse(String text) {
        try {
            return Words.parse("action", QueueAction.class, text);
        } catch (IllegalArgumentException unknown) {
            throw new UsageException(unknown.getMessage() + " See millrace queue --help.", unknown);
        }
    }

    /** The actions and their meanings, for the help text. */
    static String help() {
        StringBuilder help = new StringBuilder();
        for (QueueAction action : values()) {
            help.append(help.isEmpty() ? "" : "; ")
                    .append(action.name().toLowerCase(Locale.ROOT))
                    .append(": ")
                    .append(action.meaning);
        }
        return help.append('.').toString();
    }
}
