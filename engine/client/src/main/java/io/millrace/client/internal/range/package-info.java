// SPDX-License-Identifier: Apache-2.0

/** Checks of option values. */
@NullMarked
package io.millrace.client.internal.range;

import org.jspecify.annotations.NullMarked;
