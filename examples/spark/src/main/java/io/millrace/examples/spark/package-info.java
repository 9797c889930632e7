// SPDX-License-Identifier: Apache-2.0

/** Examples for Apache Spark. */
@NullMarked
package io.millrace.examples.spark;

import org.jspecify.annotations.NullMarked;
