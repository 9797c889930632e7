// SPDX-License-Identifier: Apache-2.0

/** The loads of the server: which run, which have ended, and who watches them. */
@NullMarked
package io.millrace.server.loads;

import org.jspecify.annotations.NullMarked;
