// SPDX-License-Identifier: Apache-2.0

/**
 * Tests of concurrent code with many interleavings. A scenario with a few threads is run some thousands of times, each
 * time with another interleaving. Each interleaving is derived from a seed, and the same seed repeats a failure. Start
 * with {@link io.millrace.testkit.interleave.Schedules}.
 */
@NullMarked
package io.millrace.testkit.interleave;

import org.jspecify.annotations.NullMarked;
