// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;

/** What a command has done to the expiry of one field of a hash. */
public enum FieldExpiryResult {
    /** The field or the key does not exist. */
    NO_FIELD,
    /** The condition does not hold, or the field had no expiry to remove. */
    UNCHANGED,
    /** The expiry was changed. */
    CHANGED,
    /** The field was deleted, because its new expiry is in the past. */
    DELETED;

    static FieldExpiryResult of(Reply reply) {
        long code = Replies.integer(reply);
        if (code == -2) {
            return NO_FIELD;
        }
        if (code == 0 || code == -1) {
            return UNCHANGED;
        }
        if (code == 1) {
            return CHANGED;
        }
        if (code == 2) {
            return DELETED;
        }
        throw new UnexpectedReplyException("-2, -1, 0, 1 or 2", reply);
    }
}
