// SPDX-License-Identifier: Apache-2.0

/** What is shown and kept of a run: the JSON, the tables, the record. */
@NullMarked
package io.millrace.lab.report;

import org.jspecify.annotations.NullMarked;
