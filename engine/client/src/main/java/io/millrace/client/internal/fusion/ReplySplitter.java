// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.List;

/**
 * Splits the reply to a fused command into the replies to its commands. Immutable: created by the sending thread, used
 * by the reader and by the thread that calls listeners.
 */
sealed interface ReplySplitter {

    /**
     * Returns whether {@code whole} can be the reply to {@code count} fused commands. {@code whole} must not be an
     * error reply.
     */
    boolean fits(Reply whole, int count);

    /**
     * Fills the first {@code count} elements of {@code replies} with the parts of a reply that {@linkplain #fits fits}.
     */
    void split(Reply whole, Reply[] replies, int count);

    /** Returns how many commands get an error reply from a reply that {@linkplain #fits fits} and is not an error reply. */
    default int errors(Reply whole) {
        return 0;
    }

    /** Returns whether the n-th item of the reply is the reply to the n-th command. */
    default boolean hasItemPerCommand() {
        return false;
    }

    /** For a fused command with the reply {@code OK}. Each command gets {@code OK} as its reply. */
    record AllOk() implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole.equals(Reply.OK);
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, Reply.OK);
        }
    }

    /** For a fused command with the number 1 as its reply. Each command gets {@code OK} as its reply. */
    record OneForAll() implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.IntegerReply number && number.value() == 1;
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, Reply.OK);
        }
    }

    /** For a fused command with a number as its reply. Each command gets this number as its reply. */
    record SameNumber() implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.IntegerReply;
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, whole);
        }
    }

    /** For a fused command with an array as its reply. The array contains the reply to each command, in order. */
    record Items() implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array && array.items().size() == count;
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            ((Reply.ArrayReply) whole).items().toArray(replies);
        }

        @Override
        public boolean hasItemPerCommand() {
            return true;
        }
    }

    /**
     * For a fused command that pops several items. The array contains the items that were popped, in order. If the list
     * had too few items, the last commands get null.
     */
    record PoppedItems() implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array ? array.items().size() <= count : whole == Reply.Null.NULL;
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            List<Reply> items = whole instanceof Reply.ArrayReply array ? array.items() : List.of();
            items.toArray(replies);
            Arrays.fill(replies, items.size(), count, Reply.Null.NULL);
        }

        @Override
        public boolean hasItemPerCommand() {
            return true;
        }
    }

    /**
     * For a fused command with a number as its reply, the value after all commands. Each command has changed the value
     * by a known amount, so the reply to each command can be computed.
     *
     * @param amounts change by each command
     */
    @SuppressWarnings("ArrayRecordComponent") // records of this type are never compared
    record RunningTotal(long[] amounts) implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.IntegerReply;
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            long value = ((Reply.IntegerReply) whole).value();
            for (int i = count - 1; i >= 0; i--) {
                replies[i] = new Reply.IntegerReply(value);
                value -= amounts[i];
            }
        }
    }

    /**
     * For a fused {@code BITFIELD}. The items of the reply are the old values of its bit fields. Each command has set
     * one bit of these fields, in order.
     *
     * @param widths width of each field in bits, 1 to 63
     */
    @SuppressWarnings("ArrayRecordComponent") // records of this type are never compared
    record Bits(byte[] widths) implements ReplySplitter {

        private static final Reply ZERO = new Reply.IntegerReply(0);
        private static final Reply ONE = new Reply.IntegerReply(1);

        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array
                    && array.items().size() == widths.length
                    && array.items().stream().allMatch(item -> item instanceof Reply.IntegerReply);
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            List<Reply> olds = ((Reply.ArrayReply) whole).items();
            int command = 0;
            for (int field = 0; field < widths.length; field++) {
                long old = ((Reply.IntegerReply) olds.get(field)).value();
                for (int bit = widths[field] - 1; bit >= 0; bit--) {
                    replies[command++] = (old >>> bit & 1) == 0 ? ZERO : ONE;
                }
            }
        }
    }

    /**
     * For a fused script. The reply is the reply of the only group, or an array with the reply of each group. Each
     * command gets the reply of its group. An error reply is marked as fused if several commands share the group.
     *
     * @param commands number of commands of each group
     */
    @SuppressWarnings("ArrayRecordComponent") // records of this type are never compared
    record Groups(int[] commands) implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return commands.length == 1
                    || (whole instanceof Reply.ArrayReply array && array.items().size() == commands.length);
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            List<Reply> groups = replies(whole);
            int from = 0;
            for (int group = 0; group < commands.length; group++) {
                int to = from + commands[group];
                Arrays.fill(replies, from, to, shared(groups.get(group), commands[group]));
                from = to;
            }
        }

        @Override
        public int errors(Reply whole) {
            List<Reply> groups = replies(whole);
            int errors = 0;
            for (int group = 0; group < commands.length; group++) {
                if (groups.get(group) instanceof Reply.ErrorReply) {
                    errors += commands[group];
                }
            }
            return errors;
        }

        private List<Reply> replies(Reply whole) {
            return commands.length == 1 ? List.of(whole) : ((Reply.ArrayReply) whole).items();
        }

        private static Reply shared(Reply reply, int commands) {
            return commands > 1 && reply instanceof Reply.ErrorReply error
                    ? new Reply.ErrorReply(error.message(), true)
                    : reply;
        }
    }
}
