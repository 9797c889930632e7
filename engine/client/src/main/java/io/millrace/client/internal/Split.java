// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.List;

/**
 * How the reply to a fused command is divided among those that it was made of. Immutable: made by the thread that sends, used by
 * the one that reads and by the one that is told.
 */
sealed interface Split {

    /** Whether {@code whole}, which is no error, can be the answer to {@code count} commands. */
    boolean fits(Reply whole, int count);

    /** Fills the first {@code count} places of {@code replies} with the parts of what {@linkplain #fits fits}. */
    void divide(Reply whole, Reply[] replies, int count);

    /** All was done. */
    record AllOk() implements Split {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole.equals(Reply.OK);
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, Reply.OK);
        }
    }

    /** The number 1 says that all was done. */
    record AllSet() implements Split {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.IntegerReply number && number.value() == 1;
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, Reply.OK);
        }
    }

    /** Everybody has the number for all. */
    record SameNumber() implements Split {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.IntegerReply;
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, whole);
        }
    }

    /** An array has an item for each. */
    record Items() implements Split {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array && array.items().size() == count;
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
            ((Reply.ArrayReply) whole).items().toArray(replies);
        }
    }

    /** An array has an item for the first so many, and nothing was left for the others. */
    record Popped() implements Split {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array ? array.items().size() <= count : whole == Reply.Null.NULL;
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
            List<Reply> items = whole instanceof Reply.ArrayReply array ? array.items() : List.of();
            items.toArray(replies);
            Arrays.fill(replies, items.size(), count, Reply.Null.NULL);
        }
    }

    /**
     * The number is what there is after all of them, and each had added so much.
     *
     * @param amounts by which each changed it
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Running(long[] amounts) implements Split {
        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.IntegerReply;
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
            long value = ((Reply.IntegerReply) whole).value();
            for (int i = count - 1; i >= 0; i--) {
                replies[i] = new Reply.IntegerReply(value);
                value -= amounts[i];
            }
        }
    }

    /**
     * The items are old values of as many bit fields, and each command had one bit of these, in order.
     *
     * @param widths of the fields in bits, 1 to 63, as many as there are items
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Bits(byte[] widths) implements Split {

        private static final Reply ZERO = new Reply.IntegerReply(0);
        private static final Reply ONE = new Reply.IntegerReply(1);

        @Override
        public boolean fits(Reply whole, int count) {
            return whole instanceof Reply.ArrayReply array
                    && array.items().size() == widths.length
                    && array.items().stream().allMatch(item -> item instanceof Reply.IntegerReply);
        }

        @Override
        public void divide(Reply whole, Reply[] replies, int count) {
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
