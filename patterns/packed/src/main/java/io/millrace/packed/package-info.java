// SPDX-License-Identifier: Apache-2.0

/**
 * Bucketed pairs: many small pairs are stored as the fields of few hashes. The hashes need a fraction of the memory
 * that separate strings need. A {@link io.millrace.packed.BucketMap} reads and writes bucketed pairs, including pairs
 * that a load has written.
 */
@NullMarked
package io.millrace.packed;

import org.jspecify.annotations.NullMarked;
