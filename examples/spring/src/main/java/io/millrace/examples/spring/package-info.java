// SPDX-License-Identifier: Apache-2.0

/** An application with Spring Boot: rows loaded at start, a cache, and code that replaces RedisTemplate. */
@NullMarked
package io.millrace.examples.spring;

import org.jspecify.annotations.NullMarked;
