// SPDX-License-Identifier: Apache-2.0

/** Examines a server before a load. Nothing here prints, parses arguments or ends the JVM. */
@NullMarked
package io.millrace.cli.doctor;

import org.jspecify.annotations.NullMarked;
