// SPDX-License-Identifier: Apache-2.0

/** Millrace in Spring Boot applications: the client, loads at start, caches, health and endpoints. */
@NullMarked
package io.millrace.spring;

import org.jspecify.annotations.NullMarked;
