// SPDX-License-Identifier: Apache-2.0
/** The clients that the lab measures: one interface, one file for each library. */
@NullMarked
package io.millrace.lab.client;

import org.jspecify.annotations.NullMarked;
