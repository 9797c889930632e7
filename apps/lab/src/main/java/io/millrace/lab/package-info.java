// SPDX-License-Identifier: Apache-2.0

/** The lab: measures patterns and peers, contenders taking turns in one run. */
@NullMarked
package io.millrace.lab;

import org.jspecify.annotations.NullMarked;
