// SPDX-License-Identifier: Apache-2.0

/** What the tests of every module but {@code resp} stand on: scripted servers, fault injection, leak checks. */
@NullMarked
package io.millrace.testkit;

import org.jspecify.annotations.NullMarked;
