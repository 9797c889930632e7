// SPDX-License-Identifier: Apache-2.0

/** Packed pairs in a real Redis. */
@NullMarked
package io.millrace.packed;

import org.jspecify.annotations.NullMarked;
