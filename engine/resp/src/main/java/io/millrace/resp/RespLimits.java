// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

/**
 * What a reply may measure at most; a reply beyond it is malformed.
 *
 * @param depth how deep aggregates may nest, 1 to 1,024
 * @param lineBytes length of a status, error or number line, from 64
 * @param bulkBytes length of one bulk string
 * @param elements elements of one aggregate; a pair of a map counts as two
 */
public record RespLimits(int depth, int lineBytes, int bulkBytes, int elements) {

    /**
     * Depth 128 (no command nests deeper than a script does, and Redis stops scripts far earlier), lines of 1 MiB (a script
     * may answer with a long status), bulk strings of 512 MiB (the default of {@code proto-max-bulk-len}), 2^27 elements.
     */
    public static final RespLimits DEFAULT = new RespLimits(128, 1 << 20, 512 << 20, 1 << 27);

    public RespLimits {
        check("depth", depth, 1, 1_024);
        check("lineBytes", lineBytes, 64, Integer.MAX_VALUE - 16);
        check("bulkBytes", bulkBytes, 0, Integer.MAX_VALUE - 16);
        check("elements", elements, 0, Integer.MAX_VALUE - 16);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", not " + value);
        }
    }
}
