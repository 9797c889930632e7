// SPDX-License-Identifier: Apache-2.0

/**
 * Tests of the package {@code interleave}. Explorations must find the errors in wrong code, and correct code must pass.
 */
@NullMarked
package io.millrace.testkit.interleave;

import org.jspecify.annotations.NullMarked;
