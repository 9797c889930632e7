// SPDX-License-Identifier: Apache-2.0

/** Bulk connections: one thread submits commands and receives their outcomes in the same order. */
@NullMarked
package io.millrace.client.internal.bulk;

import org.jspecify.annotations.NullMarked;
