// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.labhttp;

import org.jspecify.annotations.NullMarked;
