// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import io.millrace.client.ReplyLimits;
import io.millrace.resp.RespLimits;
import io.millrace.resp.RespReader;

/** Creates readers of replies. */
public final class ReplyReaders {

    private ReplyReaders() {}

    /** Returns a reader that rejects replies above {@code limits}. */
    public static RespReader within(ReplyLimits limits) {
        return new RespReader(
                new RespLimits(limits.depth(), limits.lineBytes(), limits.bulkBytes(), limits.elements()));
    }
}
