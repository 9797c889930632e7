// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.command.Command;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The commands without keys that concern the data of all primaries, and how their replies are combined. */
enum ManyServersCommands {

    /** The value is the sum of the integers of all primaries. */
    SUM {
        @Override
        Reply combine(List<Reply> replies) {
            long sum = 0;
            for (Reply reply : replies) {
                if (!(reply instanceof Reply.IntegerReply number)) {
                    throw new UnexpectedReplyException("an integer", reply);
                }
                sum += number.value();
            }
            return new Reply.IntegerReply(sum);
        }
    },

    /** The value is the list of the items of all primaries. */
    LIST {
        @Override
        Reply combine(List<Reply> replies) {
            List<Reply> all = new ArrayList<>();
            replies.forEach(reply -> all.addAll(items(reply)));
            return new Reply.ArrayReply(all);
        }
    },

    /** The value is a list of flags. A flag is true if the flag of each primary is true. */
    ALL_FLAGS {
        @Override
        Reply combine(List<Reply> replies) {
            List<Reply> all = new ArrayList<>(items(replies.getFirst()));
            for (Reply reply : replies) {
                List<Reply> flags = items(reply);
                for (int i = 0; i < all.size() && i < flags.size(); i++) {
                    all.set(i, all.get(i).equals(flags.get(i)) ? flags.get(i) : new Reply.IntegerReply(0));
                }
            }
            return new Reply.ArrayReply(all);
        }
    },

    /** All primaries give the same reply. The value is the first reply. */
    SAME {
        @Override
        Reply combine(List<Reply> replies) {
            return replies.getFirst();
        }
    };

    private static final Set<String> SAME_REPLIES = Set.of(
            "FLUSHALL",
            "FLUSHDB",
            "SCRIPT LOAD",
            "SCRIPT FLUSH",
            "SCRIPT KILL",
            "FUNCTION LOAD",
            "FUNCTION DELETE",
            "FUNCTION FLUSH",
            "FUNCTION RESTORE",
            "CONFIG SET",
            "CONFIG RESETSTAT",
            "CONFIG REWRITE");

    /** Combines the replies of all primaries, which are no errors. There is at least one reply. */
    abstract Reply combine(List<Reply> replies);

    /** Returns the rule for {@code command}; null if any one node can execute the command. */
    static @Nullable ManyServersCommands of(Command<?> command) {
        String name = command.spec().name().toUpperCase(Locale.ROOT);
        return switch (name) {
            case "DBSIZE" -> SUM;
            case "KEYS" -> LIST;
            case "SCRIPT EXISTS" -> ALL_FLAGS;
            default -> SAME_REPLIES.contains(name) ? SAME : null;
        };
    }

    /** Returns a function that combines the replies, and decodes the result. */
    <T> Function<List<Reply>, T> valueOf(Command<T> command) {
        return replies -> command.spec().decode(combine(replies));
    }

    private static List<Reply> items(Reply reply) {
        if (!(reply instanceof Reply.ArrayReply array)) {
            throw new UnexpectedReplyException("an array", reply);
        }
        return array.items();
    }
}
