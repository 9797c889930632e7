// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.util.Locale;

/**
 * Limits on the size of a reply. A larger reply is rejected as malformed.
 *
 * @param depth maximum nesting of aggregates, 1 to 1,024
 * @param lineBytes maximum length of a line, such as a simple string, an error or a number; at least 64 bytes
 * @param bulkBytes maximum length of one bulk string in bytes
 * @param elements maximum number of elements of one aggregate; a map entry counts as two
 */
public record RespLimits(int depth, int lineBytes, int bulkBytes, int elements) {

    /**
     * The default limits. Depth 128: only Lua scripts return deeply nested replies, and Redis limits the depth of these
     * replies to a much smaller number. Lines of 1 MiB: a Lua script may return a long status. Bulk strings of 512 MiB:
     * the default of {@code proto-max-bulk-len}. Aggregates of 2^27 elements.
     */
    public static final RespLimits DEFAULT = new RespLimits(128, 1 << 20, 512 << 20, 1 << 27);

    public RespLimits {
        check("depth", depth, 1, 1_024);
        check("lineBytes", lineBytes, 64, Integer.MAX_VALUE - 16);
        check("bulkBytes", bulkBytes, 0, Integer.MAX_VALUE - 16);
        check("elements", elements, 0, Integer.MAX_VALUE - 16);
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "%s=%,d is out of range: %,d to %,d.", name, value, min, max));
        }
    }
}
