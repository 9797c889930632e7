// SPDX-License-Identifier: Apache-2.0

/** Caches against a real Redis, in this process and in others that are killed. */
@NullMarked
package io.millrace.cache;

import org.jspecify.annotations.NullMarked;
