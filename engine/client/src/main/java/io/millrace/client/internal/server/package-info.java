// SPDX-License-Identifier: Apache-2.0

/** The connections to one server. */
@NullMarked
package io.millrace.client.internal.server;

import org.jspecify.annotations.NullMarked;
