// SPDX-License-Identifier: Apache-2.0
/** Experiments about frameworks. The programs that use a framework are in modules of their own. */
@NullMarked
package io.millrace.lab.frameworks;

import org.jspecify.annotations.NullMarked;
