// SPDX-License-Identifier: Apache-2.0

/** Hash slots of a Redis Cluster. */
@NullMarked
package io.millrace.client.internal.slot;

import org.jspecify.annotations.NullMarked;
