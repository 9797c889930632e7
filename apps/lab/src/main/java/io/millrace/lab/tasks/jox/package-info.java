// SPDX-License-Identifier: Apache-2.0
/**
 * Task processing over channels of jox. Its flows and scopes need a JVM with preview features, so they are left out.
 */
@NullMarked
package io.millrace.lab.tasks.jox;

import org.jspecify.annotations.NullMarked;
