// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs to copy from. Each program is one file with a {@code main} method that takes the URI of a server, by
 * default {@code redis://127.0.0.1:6379}. The keys of a program begin with {@code example:}, and the program deletes
 * its keys at its end. The build runs all programs, and the snippets in the documents are cut from them.
 */
@NullMarked
package io.millrace.examples;

import org.jspecify.annotations.NullMarked;
