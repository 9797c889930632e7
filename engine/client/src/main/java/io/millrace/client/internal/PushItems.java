// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a push is made of; what is not there, or not of the kind that is looked for, is empty. */
final class PushItems {

    private static final byte[] NOTHING = new byte[0];

    private PushItems() {}

    static String text(List<Reply> items, int index) {
        return new String(bytes(items, index), StandardCharsets.UTF_8);
    }

    static byte[] bytes(List<Reply> items, int index) {
        return index < items.size() && items.get(index) instanceof Reply.BulkString bulk ? bulk.bytes() : NOTHING;
    }
}
