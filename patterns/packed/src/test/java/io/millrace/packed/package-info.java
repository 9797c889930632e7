// SPDX-License-Identifier: Apache-2.0

/** Tests of bucketed pairs against a real Redis server. */
@NullMarked
package io.millrace.packed;

import org.jspecify.annotations.NullMarked;
