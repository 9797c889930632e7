// SPDX-License-Identifier: Apache-2.0

/** Bitmap tests with a real Redis, compared with plain sets. */
@NullMarked
package io.millrace.bitmap;

import org.jspecify.annotations.NullMarked;
