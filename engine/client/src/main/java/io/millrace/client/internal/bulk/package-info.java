// SPDX-License-Identifier: Apache-2.0

/** Bulk connections: one thread writes, and outcomes come back in order. */
@NullMarked
package io.millrace.client.internal.bulk;

import org.jspecify.annotations.NullMarked;
