// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.micrometer;

import org.jspecify.annotations.NullMarked;
