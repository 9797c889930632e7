// SPDX-License-Identifier: Apache-2.0

/** A cache-aside cache in Redis for the results of slow calls: {@link io.millrace.cache.Cache}. */
@NullMarked
package io.millrace.cache;

import org.jspecify.annotations.NullMarked;
