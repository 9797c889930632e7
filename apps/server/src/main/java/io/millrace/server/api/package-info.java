// SPDX-License-Identifier: Apache-2.0

/** The routes of the server, and their errors. */
@NullMarked
package io.millrace.server.api;

import org.jspecify.annotations.NullMarked;
