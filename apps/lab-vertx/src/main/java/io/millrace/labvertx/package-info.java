// SPDX-License-Identifier: Apache-2.0
/** Programs of the lab that use Vert.x. */
@NullMarked
package io.millrace.labvertx;

import org.jspecify.annotations.NullMarked;
