// SPDX-License-Identifier: Apache-2.0

/** Runs the example. */
@NullMarked
package io.millrace.examples.spring;

import org.jspecify.annotations.NullMarked;
