// SPDX-License-Identifier: Apache-2.0
/** What rows become: keys, values, commands, and how to check them afterwards. */
@NullMarked
package io.millrace.load.target;

import org.jspecify.annotations.NullMarked;
