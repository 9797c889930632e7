// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.resp.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replies of a read of many keys.
 *
 * @param replies the replies in the order of the keys; the last keys have no reply if they were not read
 * @param checks the check of each key that was read, for {@link EntryFormat#freshValue}
 */
@SuppressWarnings("ArrayRecordComponent") // instances are never compared
record KeyReplies(List<Reply> replies, long[] checks) {

    /** Returns the reply for a key; null if the key was not read. */
    @Nullable
    Reply reply(int index) {
        return index < replies.size() ? replies.get(index) : null;
    }
}
