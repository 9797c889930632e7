// SPDX-License-Identifier: Apache-2.0

/**
 * Bitmaps of Redis at scale. {@link io.millrace.bitmap.Populations} stores experiments of any number of bits, built in the client;
 * {@link io.millrace.bitmap.Activity} keeps who was active when, and counts, combines and compares that.
 */
@NullMarked
package io.millrace.bitmap;

import org.jspecify.annotations.NullMarked;
