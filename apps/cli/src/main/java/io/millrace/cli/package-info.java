// SPDX-License-Identifier: Apache-2.0

/** The command line. Only this module parses arguments, prints, and ends the JVM. */
@NullMarked
package io.millrace.cli;

import org.jspecify.annotations.NullMarked;
