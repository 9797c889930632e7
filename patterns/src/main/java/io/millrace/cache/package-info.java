// SPDX-License-Identifier: Apache-2.0

/**
 * Slow results computed once, kept in Redis for their time, and served to all: {@link io.millrace.cache.Cache}.
 */
@NullMarked
package io.millrace.cache;

import org.jspecify.annotations.NullMarked;
