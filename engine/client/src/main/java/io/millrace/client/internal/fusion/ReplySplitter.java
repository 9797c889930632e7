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

    /** Returns whether {@code whole}, which is no error, can be the reply to {@code count} commands. */
    boolean fits(Reply whole, int count);

    /**
     * Fills the first {@code count} elements of {@code replies} with the parts of a reply that {@linkplain #fits fits}.
     */
    void split(Reply whole, Reply[] replies, int count);

    /** The reply {@code OK} becomes {@code OK} for each command. */
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

    /** The number 1 becomes {@code OK} for each command. */
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

    /** Each command gets the number as its reply. */
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

    /** The array contains one item for each command. */
    record Items() implements ReplySplitter {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array && array.items().size() == count;
        }

        @Override
        public void split(Reply whole, Reply[] replies, int count) {
            ((Reply.ArrayReply) whole).items().toArray(replies);
        }
    }

    /** The array contains the items for the first commands. The other commands get null, because the list was empty. */
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
    }

    /**
     * The number is the value after all commands. Each command has changed the value by a known amount, so its reply
     * can be computed.
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
     * The items are the old values of bit fields. Each command has set one bit of these fields, in order.
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
}
