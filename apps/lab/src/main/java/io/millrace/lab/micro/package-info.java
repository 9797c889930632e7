// SPDX-License-Identifier: Apache-2.0

/** Benchmarks of single operations, which take nanoseconds. JMH runs the benchmarks. */
@NullMarked
package io.millrace.lab.micro;

import org.jspecify.annotations.NullMarked;
