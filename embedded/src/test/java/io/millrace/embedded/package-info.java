// SPDX-License-Identifier: Apache-2.0

/** Tests that start private servers and check that no server remains. */
@NullMarked
package io.millrace.embedded;

import org.jspecify.annotations.NullMarked;
