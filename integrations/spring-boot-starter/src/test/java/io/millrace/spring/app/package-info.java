// SPDX-License-Identifier: Apache-2.0

/** An application that tests start as a process. */
@NullMarked
package io.millrace.spring.app;

import org.jspecify.annotations.NullMarked;
