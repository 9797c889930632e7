// SPDX-License-Identifier: Apache-2.0

/**
 * Seeded schedules of concurrent code. A scenario of a few threads is run some thousands of times, each time with
 * another interleaving, and the seed repeats a failure. Start with {@link io.millrace.testkit.interleave.Schedules}.
 */
@NullMarked
package io.millrace.testkit.interleave;

import org.jspecify.annotations.NullMarked;
