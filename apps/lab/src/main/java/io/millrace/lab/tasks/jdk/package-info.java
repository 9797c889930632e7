// SPDX-License-Identifier: Apache-2.0
/** Task processing with what comes with Java: virtual threads and {@code java.util.concurrent}. */
@NullMarked
package io.millrace.lab.tasks.jdk;

import org.jspecify.annotations.NullMarked;
