// SPDX-License-Identifier: Apache-2.0

/** Test support for every module but {@code resp}: fake servers, fault injection, leak checks. */
@NullMarked
package io.millrace.testkit;

import org.jspecify.annotations.NullMarked;
