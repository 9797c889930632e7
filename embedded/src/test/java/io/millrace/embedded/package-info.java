// SPDX-License-Identifier: Apache-2.0

/** Tests that start private servers, and see that none is left. */
@NullMarked
package io.millrace.embedded;

import org.jspecify.annotations.NullMarked;
