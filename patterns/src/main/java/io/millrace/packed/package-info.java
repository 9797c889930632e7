// SPDX-License-Identifier: Apache-2.0

/**
 * Many small pairs in a fraction of the memory that strings take: a {@link io.millrace.packed.PackedMap} reads and writes pairs that are
 * packed into hashes, by itself or by a load.
 */
@NullMarked
package io.millrace.packed;

import org.jspecify.annotations.NullMarked;
