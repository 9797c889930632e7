// SPDX-License-Identifier: Apache-2.0

/** The command line: the only module that parses arguments, prints, or exits. */
@NullMarked
package io.millrace.cli;

import org.jspecify.annotations.NullMarked;
