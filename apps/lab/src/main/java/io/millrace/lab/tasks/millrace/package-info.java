// SPDX-License-Identifier: Apache-2.0

/** The approaches and machineries as flows of Millrace. */
@NullMarked
package io.millrace.lab.tasks.millrace;

import org.jspecify.annotations.NullMarked;
