// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;

/**
 * Limits on the size of one reply. They protect the memory of the process from a single large reply, and from a server
 * that sends something else than RESP.
 *
 * <p>A reply above a limit ends its connection, because the client cannot find the beginning of the next reply. The
 * command of this reply is {@linkplain Outcome.Lost lost} and never sent again; the cause names the limit. The other
 * commands of the connection are lost or sent again, as after any loss of a connection.
 *
 * <p>The constants document the range and the default of each setting, and the reason for the default.
 *
 * @param bulkBytes maximum length of one value, {@link #BULK_BYTES}. A reply may contain several values
 * @param elements maximum number of elements of one array, set or map, {@link #ELEMENTS}; a map entry counts as two
 * @param lineBytes maximum length of a line, such as a status, an error or a number, {@link #LINE_BYTES}
 * @param depth maximum nesting of arrays, sets and maps, {@link #DEPTH}
 */
public record ReplyLimits(int bulkBytes, int elements, int lineBytes, int depth) {

    /** Range: 1 KB to 1 GB. Default: 512 MB, the default of {@code proto-max-bulk-len} in the server. */
    public static final Setting<Integer> BULK_BYTES = new Setting<>(
            "bulkBytes", 1 << 10, 1 << 30, 512 << 20, Unit.BYTES, "Maximum length of one value in a reply.");

    /**
     * Range: 1,024 to 1,073,741,824. Default: 134,217,728. With this default, the references to the elements of one
     * array take 512 MB or more.
     */
    public static final Setting<Integer> ELEMENTS = new Setting<>(
            "elements", 1 << 10, 1 << 30, 1 << 27, Unit.COUNT, "Maximum number of elements of one array in a reply.");

    /** Range: 1 KB to 1 GB. Default: 1 MB, because a Lua script may return a long status. */
    public static final Setting<Integer> LINE_BYTES =
            new Setting<>("lineBytes", 1 << 10, 1 << 30, 1 << 20, Unit.BYTES, "Maximum length of a line in a reply.");

    /**
     * Range: 8 to 1,024. Default: 128. Only Lua scripts return deeply nested replies, and the server limits the depth
     * of these replies to a much smaller number.
     */
    public static final Setting<Integer> DEPTH =
            new Setting<>("depth", 8, 1_024, 128, Unit.COUNT, "Maximum nesting of arrays in a reply.");

    /** The default of each setting. */
    public static final ReplyLimits DEFAULT = new ReplyLimits(
            BULK_BYTES.defaultValue(), ELEMENTS.defaultValue(), LINE_BYTES.defaultValue(), DEPTH.defaultValue());

    public ReplyLimits {
        BULK_BYTES.check(bulkBytes);
        ELEMENTS.check(elements);
        LINE_BYTES.check(lineBytes);
        DEPTH.check(depth);
    }

    /** Returns a copy with another {@link #BULK_BYTES}. */
    public ReplyLimits withBulkBytes(int value) {
        return new ReplyLimits(value, elements, lineBytes, depth);
    }

    /** Returns a copy with another {@link #ELEMENTS}. */
    public ReplyLimits withElements(int value) {
        return new ReplyLimits(bulkBytes, value, lineBytes, depth);
    }

    /** Returns a copy with another {@link #LINE_BYTES}. */
    public ReplyLimits withLineBytes(int value) {
        return new ReplyLimits(bulkBytes, elements, value, depth);
    }

    /** Returns a copy with another {@link #DEPTH}. */
    public ReplyLimits withDepth(int value) {
        return new ReplyLimits(bulkBytes, elements, lineBytes, value);
    }
}
