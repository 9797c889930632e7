// SPDX-License-Identifier: Apache-2.0

/** Optional decorators of calls: {@link Retry} and {@link CircuitBreaker}. The client itself uses neither. */
@NullMarked
package io.millrace.client.resilience;

import org.jspecify.annotations.NullMarked;
