// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.List;

/**
 * How the reply to a fused command is divided among those that it was made of. Immutable: made by the thread that sends, used by
 * the one that reads.
 */
sealed interface Split {

    /** Fills the first {@code count} places of {@code replies}; false if {@code whole} is not such a reply. */
    boolean divide(Reply whole, Reply[] replies, int count);

    /**
     * The replies to {@code count} commands that were sent as one and answered by {@code whole}. An error is that of each of
     * them, and so is a reply that cannot be divided.
     */
    default void of(Reply whole, Reply[] replies, int count) {
        if (whole instanceof Reply.ErrorReply error) {
            Arrays.fill(replies, 0, count, new Reply.ErrorReply(error.message(), true));
        } else if (!divide(whole, replies, count)) {
            String message = "ERR a fused command of " + count + " parts was answered by something else: "
                    + whole.getClass().getSimpleName();
            Arrays.fill(replies, 0, count, new Reply.ErrorReply(message, true));
        }
    }

    /** Everybody has the whole reply. */
    record Same() implements Split {
        @Override
        public boolean divide(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, whole);
            return true;
        }
    }

    /** An array has an item for each. */
    record Items() implements Split {
        @Override
        public boolean divide(Reply whole, Reply[] replies, int count) {
            if (!(whole instanceof Reply.ArrayReply array) || array.items().size() != count) {
                return false;
            }
            array.items().toArray(replies);
            return true;
        }
    }

    /** An array has an item for the first so many, and nothing was left for the others. */
    record Popped() implements Split {
        @Override
        public boolean divide(Reply whole, Reply[] replies, int count) {
            List<Reply> items = whole instanceof Reply.ArrayReply array ? array.items() : List.of();
            if (items.size() > count || (items.isEmpty() && whole != Reply.Null.NULL)) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                replies[i] = i < items.size() ? items.get(i) : Reply.Null.NULL;
            }
            return true;
        }
    }

    /** The number 1 says that all was done as it was asked. */
    record AllSet() implements Split {
        @Override
        public boolean divide(Reply whole, Reply[] replies, int count) {
            Arrays.fill(replies, 0, count, Reply.OK);
            return whole instanceof Reply.IntegerReply number && number.value() == 1;
        }
    }

    /**
     * The number is what there is after all of them, and each had added so much.
     *
     * @param amounts by which each changed it, at least one for each
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Running(long[] amounts) implements Split {
        @Override
        public boolean divide(Reply whole, Reply[] replies, int count) {
            if (!(whole instanceof Reply.IntegerReply number)) {
                return false;
            }
            long value = number.value();
            for (int i = count - 1; i >= 0; i--) {
                replies[i] = new Reply.IntegerReply(value);
                value -= amounts[i];
            }
            return true;
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
        public boolean divide(Reply whole, Reply[] replies, int count) {
            if (!(whole instanceof Reply.ArrayReply array) || array.items().size() != widths.length) {
                return false;
            }
            int command = 0;
            for (int field = 0; field < widths.length; field++) {
                if (!(array.items().get(field) instanceof Reply.IntegerReply old)) {
                    return false;
                }
                for (int bit = widths[field] - 1; bit >= 0; bit--) {
                    replies[command++] = (old.value() >>> bit & 1) == 0 ? ZERO : ONE;
                }
            }
            return command == count;
        }
    }
}
