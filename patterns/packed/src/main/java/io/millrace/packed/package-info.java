// SPDX-License-Identifier: Apache-2.0

/**
 * Bucketed pairs: many small pairs stored as fields of few hashes, in a fraction of the memory of strings. A {@link
 * io.millrace.packed.BucketMap} reads and writes bucketed pairs, including the pairs of a load.
 */
@NullMarked
package io.millrace.packed;

import org.jspecify.annotations.NullMarked;
