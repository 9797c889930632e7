// SPDX-License-Identifier: Apache-2.0
/** Measures which way to use Redis is best: the command line of the lab. */
@NullMarked
package io.millrace.lab;

import org.jspecify.annotations.NullMarked;
