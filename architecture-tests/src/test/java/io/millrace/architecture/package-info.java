// SPDX-License-Identifier: Apache-2.0

/** The rules of the house: which module may know which, and what no file may contain. */
@NullMarked
package io.millrace.architecture;

import org.jspecify.annotations.NullMarked;
