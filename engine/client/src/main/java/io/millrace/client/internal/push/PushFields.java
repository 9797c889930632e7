// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads the items of a push. An item that is missing or of another type is empty. */
final class PushFields {

    private static final byte[] NOTHING = new byte[0];

    private PushFields() {}

    static String text(List<Reply> items, int index) {
        return new String(bytes(items, index), StandardCharsets.UTF_8);
    }

    static byte[] bytes(List<Reply> items, int index) {
        return index < items.size() && items.get(index) instanceof Reply.BulkString bulk ? bulk.bytes() : NOTHING;
    }
}
