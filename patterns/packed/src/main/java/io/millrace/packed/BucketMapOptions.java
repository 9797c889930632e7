// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

/**
 * Options of a {@link BucketMap}.
 *
 * @param aboveLimit whether the buckets of the layout may have more pairs than the server keeps in compact form. The
 *     default is false, because such buckets save little memory compared with strings
 */
public record BucketMapOptions(boolean aboveLimit) {

    /** The default options. */
    public static final BucketMapOptions DEFAULT = new BucketMapOptions(false);

    /** Returns a copy that also allows buckets above the limit of the server. */
    public BucketMapOptions withAboveLimit() {
        return new BucketMapOptions(true);
    }
}
