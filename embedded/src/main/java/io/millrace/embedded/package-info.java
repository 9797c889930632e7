// SPDX-License-Identifier: Apache-2.0

/** A private real Redis on loopback, ended with the JVM that started it. */
@NullMarked
package io.millrace.embedded;

import org.jspecify.annotations.NullMarked;
