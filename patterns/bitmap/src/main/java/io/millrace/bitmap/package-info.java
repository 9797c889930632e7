// SPDX-License-Identifier: Apache-2.0

/**
 * Large bitmaps in Redis. {@link io.millrace.bitmap.Populations} stores named sets of up to 2^32 bits, packed by the
 * client. {@link io.millrace.bitmap.Activity} stores which ids were active in which time span, and counts, combines and
 * compares them.
 */
@NullMarked
package io.millrace.bitmap;

import org.jspecify.annotations.NullMarked;
