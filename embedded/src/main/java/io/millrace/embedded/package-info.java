// SPDX-License-Identifier: Apache-2.0

/** A private, real Redis server on the loopback interface. The server ends when the JVM ends that started it. */
@NullMarked
package io.millrace.embedded;

import org.jspecify.annotations.NullMarked;
