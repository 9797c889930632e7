// SPDX-License-Identifier: Apache-2.0

/** Architecture rules: the allowed dependencies between modules, and the forbidden contents of files. */
@NullMarked
package io.millrace.architecture;

import org.jspecify.annotations.NullMarked;
