// SPDX-License-Identifier: Apache-2.0
/** Experiment E5: caches of slow results, as the libraries offer them and as programs write them by hand. */
@NullMarked
package io.millrace.lab.cache;

import org.jspecify.annotations.NullMarked;
