// SPDX-License-Identifier: Apache-2.0
/** Where rows come from: files and databases, read in bounded memory. */
@NullMarked
package io.millrace.load.source;

import org.jspecify.annotations.NullMarked;
