// SPDX-License-Identifier: Apache-2.0
/** Loading very many commands: by whole processes, by Millrace's bulk writer, from a CSV file, and from PostgreSQL. */
@NullMarked
package io.millrace.lab.bulk;

import org.jspecify.annotations.NullMarked;
