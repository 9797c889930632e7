// SPDX-License-Identifier: Apache-2.0
/** Task processing in Reactor. */
@NullMarked
package io.millrace.lab.tasks.reactor;

import org.jspecify.annotations.NullMarked;
