// SPDX-License-Identifier: Apache-2.0

/** Test support for modules that have pages: Chromium without a window, and checks of accessibility. */
@NullMarked
package io.millrace.browsertestkit;

import org.jspecify.annotations.NullMarked;
