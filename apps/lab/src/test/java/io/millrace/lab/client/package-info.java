// SPDX-License-Identifier: Apache-2.0
/** Tests of the clients against a real server. */
@NullMarked
package io.millrace.lab.client;

import org.jspecify.annotations.NullMarked;
