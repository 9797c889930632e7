// SPDX-License-Identifier: Apache-2.0

/** Tests of the cache against a real Redis server, also with several processes. */
@NullMarked
package io.millrace.cache;

import org.jspecify.annotations.NullMarked;
