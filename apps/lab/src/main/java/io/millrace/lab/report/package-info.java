// SPDX-License-Identifier: Apache-2.0
/** Results as JSON, as tables, as a page and as pictures, and the comparison of two records. */
@NullMarked
package io.millrace.lab.report;

import org.jspecify.annotations.NullMarked;
