// SPDX-License-Identifier: Apache-2.0

/** The pool of dedicated connections. */
@NullMarked
package io.millrace.client.internal.pool;

import org.jspecify.annotations.NullMarked;
