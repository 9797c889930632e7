// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs to copy from. Each is one file and a {@code main} that takes the address of a server, by default {@code
 * redis://127.0.0.1:6379}; its keys begin with {@code example:} and are gone when it ends. The build runs all of them, and cuts
 * the snippets of the documents out of them.
 */
@NullMarked
package io.millrace.examples;

import org.jspecify.annotations.NullMarked;
