// SPDX-License-Identifier: Apache-2.0

/**
 * Test support for all modules except {@code resp}: fake servers, fault injection, and checks for threads and
 * connections that a test leaves open.
 */
@NullMarked
package io.millrace.testkit;

import org.jspecify.annotations.NullMarked;
