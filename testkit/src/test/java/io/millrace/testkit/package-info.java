// SPDX-License-Identifier: Apache-2.0

/** Tests of the tools that other tests use. */
@NullMarked
package io.millrace.testkit;

import org.jspecify.annotations.NullMarked;
