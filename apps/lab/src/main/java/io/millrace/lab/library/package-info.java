// SPDX-License-Identifier: Apache-2.0
/**
 * Client libraries, each in the ways it is used: one file a library, one line in
 * {@link io.millrace.lab.library.Libraries}.
 */
@NullMarked
package io.millrace.lab.library;

import org.jspecify.annotations.NullMarked;
