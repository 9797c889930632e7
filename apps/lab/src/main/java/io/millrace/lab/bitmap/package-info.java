// SPDX-License-Identifier: Apache-2.0
/** Bitmaps: how very many bits get to the server, what a month of active users answers, and what sparse ids take. */
@NullMarked
package io.millrace.lab.bitmap;

import org.jspecify.annotations.NullMarked;
