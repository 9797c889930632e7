// SPDX-License-Identifier: Apache-2.0

/** Tests of seeded schedules: errors that must be found, and correct code that must pass. */
@NullMarked
package io.millrace.testkit.interleave;

import org.jspecify.annotations.NullMarked;
