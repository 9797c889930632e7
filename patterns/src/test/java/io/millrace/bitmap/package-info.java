// SPDX-License-Identifier: Apache-2.0

/** Bitmaps against a real Redis, compared with plain sets. */
@NullMarked
package io.millrace.bitmap;

import org.jspecify.annotations.NullMarked;
