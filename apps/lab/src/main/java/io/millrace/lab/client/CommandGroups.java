// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.FusingClient.FusedCommands;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Adjacent commands that one command can replace: {@code SET}s by {@code MSET}, {@code GET}s by {@code MGET}, {@code
 * HSET}s of one hash by one {@code HSET}, {@code RPOP}s of one list by one {@code RPOP} with a count. A program can do
 * this by hand with any library. Any thread may use the object.
 */
final class CommandGroups {

    /** As many commands as Millrace fuses into one command at most. */
    static final int MAX_COMMANDS = 64;

    private final LongAdder commands = new LongAdder();
    private final LongAdder batches = new LongAdder();

    /** The groups in the order of {@code operations}. A command that cannot be replaced is a group of its own. */
    List<List<Operation>> of(List<Operation> operations) {
        List<List<Operation>> groups = new ArrayList<>();
        int from = 0;
        for (int i = 1; i <= operations.size(); i++) {
            boolean isEnd = i == operations.size()
                    || i - from == MAX_COMMANDS
                    || !canFollow(operations.get(from), operations.get(i));
            if (isEnd) {
                groups.add(operations.subList(from, i));
                count(i - from);
                from = i;
            }
        }
        return groups;
    }

    private static boolean canFollow(Operation first, Operation next) {
        return switch (first) {
            case Operation.Set set -> next instanceof Operation.Set;
            case Operation.Get get -> next instanceof Operation.Get;
            case Operation.SetField set ->
                next instanceof Operation.SetField && next.key().equals(set.key());
            case Operation.PopLast pop ->
                next instanceof Operation.PopLast && next.key().equals(pop.key());
            case Operation.Increment increment -> false;
            case Operation.Expire expire -> false;
        };
    }

    private void count(int size) {
        if (size > 1) {
            commands.add(size);
            batches.increment();
        }
    }

    /** The commands that were replaced so far. */
    FusedCommands counts() {
        return new FusedCommands(commands.sum(), batches.sum());
    }

    /** The fields of a group of {@code HSET}s. */
    static Map<String, String> fields(List<Operation> group) {
        Map<String, String> fields = LinkedHashMap.newLinkedHashMap(group.size());
        for (Operation operation : group) {
            var set = (Operation.SetField) operation;
            fields.put(set.field(), set.value());
        }
        return fields;
    }

    /**
     * A value for each command.
     *
     * @param replies a reply for each group: a list with the values of the commands, which may be too short or missing,
     *     or the one reply to all of them
     */
    static List<@Nullable Object> values(List<List<Operation>> groups, List<? extends @Nullable Object> replies) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            int size = groups.get(i).size();
            Object reply = replies.get(i);
            if (reply instanceof List<?> several) {
                values.addAll(several);
                values.addAll(Collections.nCopies(size - several.size(), null));
            } else {
                values.addAll(Collections.nCopies(size, reply));
            }
        }
        return values;
    }
}
