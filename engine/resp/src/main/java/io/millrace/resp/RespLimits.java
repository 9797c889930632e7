// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/**
 * Limits on the size of a reply. A larger reply is malformed.
 *
 * @param depth maximum nesting of aggregates, 1 to 1,024
 * @param lineBytes maximum length of a simple string, error or number line, from 64
 * @param bulkBytes maximum length of one bulk string
 * @param elements maximum number of elements of one aggregate; a map entry counts as two
 */
public record RespLimits(int depth, int lineBytes, int bulkBytes, int elements) {

    /**
     * Depth 128: only script replies nest deeply, and Redis limits those far earlier. Lines of 1 MiB: a script may
     * return a long status. Bulk strings of 512 MiB: the default of {@code proto-max-bulk-len}. 2^27 elements.
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
            throw new IllegalArgumentException("%s=%,d is out of range: %,d to %,d.".formatted(name, value, min, max));
        }
    }
}
