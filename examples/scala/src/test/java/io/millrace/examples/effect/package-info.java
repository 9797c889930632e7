// SPDX-License-Identifier: Apache-2.0

/** Tests of the example in Scala. */
@NullMarked
package io.millrace.examples.effect;

import org.jspecify.annotations.NullMarked;
