// SPDX-License-Identifier: Apache-2.0

/** Tests of seeded schedules: errors that they have to find, and code in which there is nothing to find. */
@NullMarked
package io.millrace.testkit.interleave;

import org.jspecify.annotations.NullMarked;
