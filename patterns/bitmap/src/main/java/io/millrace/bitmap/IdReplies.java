// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes the members of Redis sets, which are ids in decimal digits. */
final class IdReplies {

    private IdReplies() {}

    /**
     * Returns the members of the set {@code key}, in the order of the reply.
     *
     * @throws BitmapException if a member is not an id
     */
    static long[] ids(String key, Reply members) {
        return ids(key, Replies.items(members));
    }

    static long[] ids(String key, List<Reply> members) {
        long[] ids = new long[members.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = id(key, members.get(i));
        }
        return ids;
    }

    private static long id(String key, Reply member) {
        try {
            long id = Long.parseLong(Replies.text(member));
            if (id >= 0) {
                return id;
            }
        } catch (NumberFormatException e) {
            throw invalid(key, e);
        }
        throw invalid(key, null);
    }

    private static BitmapException invalid(String key, @Nullable Throwable cause) {
        return new BitmapException(
                "a set of ids has an invalid member: key=" + key
                        + ". Another client writes to this key. Remove the invalid member.",
                cause);
    }
}
