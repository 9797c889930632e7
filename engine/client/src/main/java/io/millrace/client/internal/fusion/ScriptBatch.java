// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;
import java.util.Arrays;

/**
 * Fuses {@code EVALSHA sha1 1 key option count argument …} of one script into one {@code EVALSHA} with a group for each
 * key. Adjacent commands with the same key and option share a group, unless one of their counts is negative.
 */
final class ScriptBatch extends FusedBatch {

    private static final byte[] EVALSHA = name("EVALSHA");

    // The positions of the arguments.
    private static final int DIGEST = 0;
    private static final int NUMBER_OF_KEYS = 1;
    private static final int KEY = 2;
    private static final int OPTION = 3;
    private static final int COUNT = 4;
    private static final int FIRST_ARGUMENT = 5;

    // One argument per group.
    private final BufferedArguments keys = new BufferedArguments(true);
    private final BufferedArguments options = new BufferedArguments(true);

    /** The arguments of all groups. */
    private final BufferedArguments arguments = new BufferedArguments(true);

    // One array entry per group: its number of commands, and its number of arguments; negative if no command may join.
    private final int[] commands = new int[MAX_COMMANDS];
    private final int[] counts = new int[MAX_COMMANDS];
    private int groups;

    @Override
    boolean accepts(BufferedArguments command) {
        return command.count() > FIRST_ARGUMENT
                && !command.isNumber(DIGEST)
                && command.number(NUMBER_OF_KEYS) == 1
                && Math.abs(command.number(COUNT)) == command.count() - FIRST_ARGUMENT;
    }

    @Override
    boolean canFollow(BufferedArguments first, BufferedArguments next) {
        return next.sameAt(DIGEST, first);
    }

    @Override
    int hashSlot(BufferedArguments command) {
        return command.hashSlot(KEY);
    }

    /** The digest is written once, with the first command. */
    @Override
    int addedBytes(BufferedArguments command) {
        return command.encodedBytes() - command.length(DIGEST);
    }

    @Override
    void begin(RequestEncoder encoder, BufferedArguments first) {
        keys.clear();
        options.clear();
        arguments.clear();
        groups = 0;
        add(encoder, first);
    }

    @Override
    void add(RequestEncoder encoder, BufferedArguments next) {
        int count = (int) next.number(COUNT);
        if (joinsLastGroup(next, count)) {
            commands[groups - 1]++;
            counts[groups - 1] += count;
        } else {
            keys.addRange(next, KEY, KEY + 1);
            options.addRange(next, OPTION, OPTION + 1);
            commands[groups] = 1;
            counts[groups++] = count;
        }
        arguments.addRange(next, FIRST_ARGUMENT, next.count());
    }

    private boolean joinsLastGroup(BufferedArguments next, int count) {
        int last = groups - 1;
        return last >= 0
                && count > 0
                && counts[last] > 0
                && next.same(KEY, keys, last)
                && next.same(OPTION, options, last);
    }

    @Override
    ReplySplitter finish(RequestEncoder encoder, BufferedArguments first) {
        encoder.begin(EVALSHA, 1);
        first.writeTo(encoder, DIGEST, DIGEST + 1);
        encoder.arg(groups);
        keys.writeTo(encoder, 0);
        int from = 0;
        for (int group = 0; group < groups; group++) {
            int to = from + Math.abs(counts[group]);
            options.writeTo(encoder, group, group + 1);
            encoder.arg(counts[group]);
            arguments.writeTo(encoder, from, to);
            from = to;
        }
        return new ReplySplitter.Groups(Arrays.copyOf(commands, groups));
    }
}
