// SPDX-License-Identifier: Apache-2.0
/** Proxies on loopback: one delays all bytes, one cuts connections. */
@NullMarked
package io.millrace.lab.network;

import org.jspecify.annotations.NullMarked;
