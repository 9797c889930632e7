// SPDX-License-Identifier: Apache-2.0

/** Tests of the starter. */
@NullMarked
package io.millrace.spring;

import org.jspecify.annotations.NullMarked;
