// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;

/**
 * The positions of the keys among the arguments of a command. Positions count the arguments from 0; the words of the
 * name do not count. Immutable.
 *
 * <p>{@link CommandSpec#of} knows the positions for the commands of Redis and Valkey. For another command with several
 * keys, such as a command of a module, the caller sets the positions with {@link CommandSpec#withKeys}:
 *
 * <pre>{@code
 * CommandSpec.of("MODULE.MSET", Replies::raw).withKeys(KeyPositions.range(0, 2, 0));
 * }</pre>
 */
public sealed interface KeyPositions
        permits KeyRules.WithoutKeys,
                KeyRules.Range,
                KeyRules.Counted,
                KeyRules.AfterStreams,
                KeyRules.Stored,
                KeyRules.Migrated,
                KeyRules.Routed {

    /** Largest position. A server accepts at most 1,048,576 words per command. */
    int MAX_POSITION = (1 << 20) - 1;

    /** No argument is a key. */
    static KeyPositions none() {
        return KeyRules.NONE;
    }

    /**
     * Only the argument at {@code position} is a key.
     *
     * @param position 0 to 1,048,575
     */
    static KeyPositions at(int position) {
        Ranges.check("position", position, 0, MAX_POSITION);
        return new KeyRules.Range(position, 1, position + 1, 0);
    }

    /**
     * The arguments at {@code first}, {@code first + step}, {@code first + 2 * step} and so on are keys, except the last
     * {@code rest} arguments: {@code range(0, 1, 0)} for {@code DEL key …}, {@code range(0, 2, 0)} for
     * {@code MSET key value …}, {@code range(0, 1, 1)} for {@code BLPOP key … seconds}.
     *
     * @param first 0 to 1,048,575
     * @param step 1 to 1,048,575
     * @param rest 0 to 1,048,575
     */
    static KeyPositions range(int first, int step, int rest) {
        Ranges.check("first", first, 0, MAX_POSITION);
        Ranges.check("step", step, 1, MAX_POSITION);
        Ranges.check("rest", rest, 0, MAX_POSITION);
        return new KeyRules.Range(first, step, KeyRules.Range.NO_END, rest);
    }

    /**
     * The argument at {@code countPosition} is the number of keys, and the keys follow: {@code counted(0)} for
     * {@code ZUNION numkeys key …}. If this argument is not a number, or is larger than the number of the following
     * arguments, the command has no keys: the server replies with an error.
     *
     * @param countPosition 0 to 1,048,575
     */
    static KeyPositions counted(int countPosition) {
        Ranges.check("countPosition", countPosition, 0, MAX_POSITION);
        return new KeyRules.Counted(false, countPosition, 1);
    }

    /**
     * Returns the position of the first key; -1 if there is no key. Some commands have options before their first key.
     * For such a command, the result is the position in a command without options.
     */
    int first();

    /**
     * Returns the position of the next argument that selects the hash slot. These arguments are the keys, or the shard
     * channel of {@code SPUBLISH}. A loop over all of them allocates no memory:
     *
     * <pre>{@code
     * for (int i = positions.next(arguments, -1); i >= 0; i = positions.next(arguments, i)) {
     *     slots.add(KeySlot.of(arguments[i]));
     * }
     * }</pre>
     *
     * @param arguments all arguments of the command
     * @param after -1 for the first position, then the previous result
     * @return a position after {@code after}; -1 if there is none
     */
    int next(byte[][] arguments, int after);
}
